// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.allocate.SlotDirectory.Kept;
import io.rdio.datanode.volume.AgentFences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks which kept files of one volume have no name any more but the one that they are kept by:
 * their blocks are deleted, and no reader's pin and no hold link is left. Those that the pool wants
 * it quarantines, behind which they are free (W15); the others it gives back to the file system.
 * For one thread at a time.
 */
final class SlotRecycler {
  private static final Logger LOG = LoggerFactory.getLogger(SlotRecycler.class);

  /** Files that are looked at at a time; each is a system call, of some 6 µs. */
  private static final int TURN = 2_000;

  /** The same where HDFS is short of space. */
  private static final int TURN_IF_SHORT = 20_000;

  /** For so long behind a deletion others are expected: longer than HDFS takes for many files. */
  private static final long EXPECTING_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final SlotVolume volume;
  private final SlotDirectory directory;
  private final WriteConfig config;
  private final MonotonicClock clock;
  private final WriteCounters counters;
  private String told = "";

  /** When a deleted block was seen last; at first when this began, for it is not known then. */
  private long deletedNanos;

  SlotRecycler(
      SlotVolume volume, WriteConfig config, MonotonicClock clock, WriteCounters counters) {
    this.volume = volume;
    this.directory = new SlotDirectory(volume.root(), config.quarantineMillis());
    this.config = config;
    this.clock = clock;
    this.counters = counters;
    this.deletedNanos = clock.nanos();
  }

  /**
   * Looks at some of the files, in turn, until the volume is gone. One that cannot be looked at
   * does not keep the others.
   *
   * @param opened null while nothing is lent here: then no slot is wanted
   * @param isShort whether HDFS is short of space: then none is wanted either
   * @return bytes that the file system got back
   */
  long look(SlotVolume.@Nullable Opened opened, boolean isShort) {
    long freed = 0;
    IOException failure = null;
    try {
      volume.kept().load();
    } catch (IOException e) {
      failure = e;
    }
    boolean recycles = opened == null ? config.recycles() : opened.keepsFiles();
    SlotPool pool = opened == null || isShort || !recycles ? SlotPool.NONE : opened.pool();
    for (Kept kept : volume.kept().next(isShort ? TURN_IF_SHORT : TURN)) {
      if (volume.isGone()) {
        break;
      }
      try {
        freed += lookAt(kept, recycles, pool);
      } catch (IOException e) {
        failure = e;
      }
    }
    tell(failure);
    return freed;
  }

  /** Once, if it goes on like that. */
  private void tell(@Nullable IOException failure) {
    String text = failure == null ? "" : failure.toString();
    if (failure != null && !text.equals(told)) {
      LOG.warn("Not all files that are kept on {} can be looked after", volume, failure);
    }
    told = text;
  }

  /**
   * @param recycles whether it may be wanted later
   * @param pool that may want it now
   */
  private long lookAt(Kept kept, boolean recycles, SlotPool pool) throws IOException {
    int names;
    long bytes;
    try {
      names = SlotMaker.linksOf(directory.link(kept));
      bytes = names > 1 ? 0 : Files.size(directory.link(kept));
    } catch (NoSuchFileException e) {
      volume.kept().remove(kept);
      return 0;
    }
    if (names > 1) {
      if (!recycles) {
        volume.kept().unlink(kept);
      }
      return 0;
    }
    deletedNanos = clock.nanos();
    if (bytes == kept.bytes() && pool.wants(bytes, volume.quarantine().count(bytes))) {
      recycle(kept);
      return 0;
    }
    volume.kept().unlink(kept);
    return bytes;
  }

  /**
   * From here on nobody can open the file any more: it has no name that anybody else looks at. Who
   * was about to has done so when its quarantine is over.
   */
  private void recycle(Kept kept) throws IOException {
    WriteFaultInjector.get().beforeRecycle(directory.link(kept));
    Path quarantined = directory.recycle(kept);
    volume.kept().remove(kept);
    if (volume.isGone()) {
      // Who stands for it by now may have looked before what is lent: nobody would have it back.
      Files.deleteIfExists(quarantined);
      return;
    }
    volume.account().take("", kept.bytes());
    volume
        .quarantine()
        .add(
            new Quarantine.Held(
                quarantined,
                kept.number(),
                kept.bytes(),
                "",
                AgentFences.NOBODY,
                clock.nanos() + config.ioNanos(),
                true));
    counters.countSlotRecycled();
  }

  /**
   * How many slots of a size may come by themselves, sooner or later. Lent ones and kept files
   * count only while blocks are being deleted: most blocks of a volume may be there for years.
   */
  int expected(long bytes) {
    SlotVolume.Opened opened = volume.openedOrNull();
    if (opened == null || !opened.recycles()) {
      return 0;
    }
    if (clock.nanos() - deletedNanos >= EXPECTING_NANOS) {
      return volume.quarantine().count(bytes);
    }
    return volume.account().count(bytes) + volume.kept().count(bytes); // it has the quarantined
  }
}
