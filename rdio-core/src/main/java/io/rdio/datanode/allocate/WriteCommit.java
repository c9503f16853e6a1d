// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.linux.DurableFiles;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a block file of a slot by rule W5: whole, or nothing. The steps are in the order that the
 * safety of it needs; see docs/remote-writes.md for what each failure leaves. Runs on a thread that
 * is for nothing else, as the replica's writer. Thread-safe.
 */
final class WriteCommit {
  private static final Logger LOG = LoggerFactory.getLogger(WriteCommit.class);

  private final ReplicaWriter writer;
  private final SlotFiles files;
  private final CommitFiles blockFiles;
  private final SlotEnds ends;
  private final WriteConfig config;
  private final MonotonicClock clock;
  private final LongSupplier random;
  private final WriteCounters counters;

  WriteCommit(
      ReplicaWriter writer,
      DataNodeWriteRoom.Machine machine,
      SlotEnds ends,
      WriteConfig config,
      MonotonicClock clock,
      WriteCounters counters) {
    this.writer = writer;
    this.files = machine.files();
    this.blockFiles = new CommitFiles(machine.files());
    this.random = machine.random();
    this.ends = ends;
    this.config = config;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * How it ended.
   *
   * @param renamed whether the block file had its name, however it went on
   */
  record Outcome(CommitResult result, boolean renamed) {
    /**
     * Whether HDFS may have finalized the replica, or a recovery may do so yet: then who asks again
     * is answered by what it has.
     */
    boolean isLeftToHdfs() {
      return renamed && result instanceof CommitResult.Refused;
    }
  }

  /** The end of a Commit that no thread could be had for. */
  Outcome notBegun(WriteLease.Lent lent) {
    ends.quiet(lent);
    return new Outcome(
        refused(FallbackReason.INTERNAL_ERROR, "no thread for " + lent.block()), false);
  }

  /**
   * Commits a block. The lease is this Commit's; its end is the caller's.
   *
   * @param crcs of all chunks, in order
   * @return never fails
   */
  Outcome run(WriteLease.Lent lent, long length, byte[] crcs) {
    AtomicBoolean renamed = new AtomicBoolean();
    CommitResult result;
    try {
      result = commit(lent, length, crcs, renamed);
    } catch (FallbackException e) {
      result = CommitResult.Refused.of(e);
    } catch (IOException e) {
      result =
          Thread.currentThread().isInterrupted()
              ? refused(FallbackReason.REPLICA_CHANGED, lent.block() + " is being recovered")
              : refused(FallbackReason.PIN_FAILED, lent.staged() + ": " + e);
    } catch (Throwable e) {
      counters.failed("committing " + lent.block(), e);
      result = refused(FallbackReason.INTERNAL_ERROR, lent.block() + ": " + e);
    }
    if (renamed.get()) {
      lent.volume().account().giveBack(lent.holder().address(), lent.slot().bytes());
    } else {
      ends.quiet(lent);
    }
    return new Outcome(result, renamed.get());
  }

  private static CommitResult refused(FallbackReason reason, String detail) {
    return new CommitResult.Refused(reason, detail);
  }

  private CommitResult commit(WriteLease.Lent lent, long length, byte[] crcs, AtomicBoolean renamed)
      throws FallbackException, IOException {
    RbwReplica replica = lent.replica();
    if (!writer.claim(replica)) {
      throw changed(lent);
    }
    try {
      prepare(lent, length, crcs);
      Replica finalized = finish(lent, length, crcs, renamed);
      seal(lent, finalized);
      keep(lent, finalized);
      WriteFaultInjector.get().beforeAnswer(lent.block());
      if (!writer.notifyReceived(finalized)) {
        throw gone(lent);
      }
      return new CommitResult.Committed();
    } finally {
      writer.release(replica);
    }
  }

  private static FallbackException changed(WriteLease.Lent lent) {
    return new FallbackException(
        FallbackReason.REPLICA_CHANGED,
        lent.block() + " is not the replica any more that its slot was lent for");
  }

  /** Not a reason to ask again: the replica is not the DataNode's any more. */
  private static FallbackException gone(WriteLease.Lent lent) {
    return new FallbackException(
        FallbackReason.REPLICA_CHANGED,
        lent.block() + " went with " + lent.volume() + ", which is not in use any more");
  }

  /** Steps 2 to 4: all that can be undone by forgetting the file. */
  private void prepare(WriteLease.Lent lent, long length, byte[] crcs)
      throws FallbackException, IOException {
    WriteFaultInjector.get().beforeHold(lent.block());
    blockFiles.requireUncached(lent.staged(), lent.slot().bytes());
    hold(lent);
    WriteFaultInjector.get().beforeCut(lent.block());
    blockFiles.cut(lent.staged(), length);
    WriteFaultInjector.get().beforeReadBack(lent.block());
    readBack(lent, length, crcs);
    WriteFaultInjector.get().beforeMeta(lent.block());
    // At a start HDFS cuts an RBW file in place to what has CRCs: so they come before the name.
    CommitFiles.writeMeta(lent.replica().metaFile(), lent.spec(), crcs);
    WriteFaultInjector.get().beforeRename(lent.block());
    if (Thread.currentThread().isInterrupted()) {
      throw changed(lent); // somebody waits for this thread's end, to recover the block
    }
  }

  /**
   * W6: keeps the extents for {@code I}, and has append and truncate copy. The inode first: without
   * a journal the folder's sync does not write it, and of a file with two names and a count of one
   * the extents would go with the first name.
   */
  private void hold(WriteLease.Lent lent) throws IOException {
    PinDirectory pins = lent.volume().pins();
    Path link = pins.files(lent.block()).block();
    lent.volume().holds().expect(link, clock.nanos(), config.ioNanos());
    try {
      Files.createLink(link, lent.staged());
    } catch (NoSuchFileException e) { // removed since the volume was opened
      pins.create();
      Files.createLink(link, lent.staged());
    }
    files.syncInode(link);
    pins.syncLinks();
  }

  private void readBack(WriteLease.Lent lent, long length, byte[] crcs)
      throws FallbackException, IOException {
    SlotVolume.Opened opened = lent.volume().openedOrNull();
    if (opened == null || lent.volume().isGone()) {
      throw gone(lent);
    }
    try (ReadBack back =
        new ReadBack(files, lent.staged(), length, lent.spec(), crcs, opened.unit())) {
      if (config.verify() == WriteConfig.Verify.ALL) {
        back.all();
      } else {
        back.sample(lent.slot().extents(), random);
      }
    }
  }

  /** Step 5, and of step 6 what HDFS does. */
  private Replica finish(WriteLease.Lent lent, long length, byte[] crcs, AtomicBoolean renamed)
      throws FallbackException, IOException {
    boolean finished = false;
    try {
      place(lent, length, crcs, renamed);
      WriteFaultInjector.get().beforeFinish(lent.block());
      Replica finalized = writer.finish(lent.replica());
      finished = true;
      return finalized;
    } finally {
      if (renamed.get() && !finished) {
        discard(lent);
      }
    }
  }

  private void place(WriteLease.Lent lent, long length, byte[] crcs, AtomicBoolean renamed)
      throws FallbackException, IOException {
    byte[] last = Arrays.copyOfRange(crcs, crcs.length - 4, crcs.length);
    boolean placed =
        writer.putInPlace(
            lent.replica(),
            length,
            last,
            () -> {
              Files.move(
                  lent.staged(),
                  lent.replica().blockFile(),
                  StandardCopyOption.ATOMIC_MOVE,
                  StandardCopyOption.REPLACE_EXISTING);
              renamed.set(true);
              WriteFaultInjector.get().afterRename(lent.block());
            });
    if (!placed) {
      throw changed(lent);
    }
  }

  /**
   * Takes away what was not finalized, unless a recovery does so. Where a block has replicas
   * elsewhere nobody recovers this one, and the NameNode takes no notice of it: HDFS would keep it,
   * and the space that it has reserved, and take no other of the block, until it is started anew.
   */
  private void discard(WriteLease.Lent lent) {
    boolean gone = false;
    try {
      gone = writer.discard(lent.replica());
    } catch (IOException e) {
      LOG.warn("{} is not finalized, and cannot be removed", lent.replica().blockFile(), e);
    } finally {
      if (!gone) {
        lent.volume().toInvalidate().add(lent.replica()); // it may have no length, and gets none
      }
    }
  }

  private static void seal(WriteLease.Lent lent, Replica finalized) throws IOException {
    WriteFaultInjector.get().beforeSeal(lent.block());
    lent.volume().names().sync(finalized);
    DurableFiles.syncDirectory(lent.replica().blockFile().resolveSibling("."));
    DurableFiles.syncDirectory(lent.staged().resolveSibling("."));
  }

  /**
   * W15: where new slots may cost zeros, the file of a whole slot gets a link by which it is to be
   * one again. Nothing depends on it, and it need not be durable.
   */
  private void keep(WriteLease.Lent lent, Replica finalized) {
    WriteFaultInjector.get().beforeKeep(lent.block());
    SlotVolume.Opened opened = lent.volume().openedOrNull();
    if (opened == null || !opened.keepsFiles() || finalized.length() != lent.slot().bytes()) {
      return;
    }
    try {
      SlotDirectory.Kept kept = SlotDirectory.Kept.of(lent.slot(), lent.block());
      lent.volume().kept().keep(kept, finalized.blockFile());
      if (lent.volume().isGone()) {
        // Who stands for it by now may have looked before what is kept, and would not know of it.
        lent.volume().kept().letGo(lent.block().blockId());
      }
    } catch (IOException e) {
      LOG.debug("{} will not be recycled", finalized.blockFile(), e);
    }
  }
}
