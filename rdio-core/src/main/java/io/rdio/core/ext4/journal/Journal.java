// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Feature;
import io.rdio.core.ext4.MetadataBlocks;
import io.rdio.core.ext4.journal.LogScanner.Copy;
import io.rdio.core.ext4.journal.LogScanner.Transaction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.LongStream;

/**
 * The blocks of a file system as its committed transactions leave them: where the log has a copy
 * that was not checkpointed, that copy, else the device's block. The copies stay in the log and are
 * read when they are asked for; what is kept is where they are.
 *
 * <p>Safe for any number of threads: one of them at a time reads the log. The others may meanwhile
 * see a block of a transaction that is just being taken in and another one as it was before it; the
 * {@link #position} is that of before until all of it was. So who wants blocks of one moment looks
 * behind them whether they are untouched.
 */
public final class Journal implements MetadataBlocks {
  private static final int MAX_ATTEMPTS = 5;

  private final Ext4Volume home;
  private final MetadataBlocks device;
  private final JournalFile file;
  private final History history = new History();
  private volatile View view;
  private volatile boolean mountedAnew;
  private volatile boolean grown;
  private volatile boolean errorsNoted;

  // Written under the lock. A block is at least as new here as at the position of the view.
  private final Map<Long, Copy> copies = new ConcurrentHashMap<>();

  // What follows is guarded by the lock.
  private final ReentrantLock lock = new ReentrantLock();

  // Highest transaction that a block was revoked by: copies of later ones are good.
  private final Map<Long, Integer> revoked = new HashMap<>();
  private JournalSuperblock superblock;
  private LogScanner scanner;

  // Whether something was read that is not in the view, because a failure came between.
  private boolean behind = true;

  /**
   * What was in the log at one moment.
   *
   * @param position of that moment in the history
   */
  private record View(LogFormat format, long position) {}

  private Journal(Ext4Volume home) throws Ext4Exception {
    this.home = home;
    this.device = home.blocks();
    this.file = new JournalFile(home);
    this.superblock = JournalSuperblock.read(file);
    this.scanner = new LogScanner(file, superblock, home.superblock().mount().mountedSeconds());
    this.view = new View(superblock.format(), history.now());
  }

  /**
   * The journal of a file system, read to its end.
   *
   * @param volume as the device has it
   * @throws Ext4Exception UNSUPPORTED where it is on another device or has a feature that is not
   *     read, DAMAGED, IO
   */
  public static Journal open(Ext4Volume volume) throws Ext4Exception {
    Journal journal = new Journal(volume);
    journal.catchUp();
    return journal;
  }

  /**
   * The file system as it is with its journal, if that has to be read at all: if it is in use, or
   * was not unmounted.
   *
   * @param volume as the device has it
   */
  public static Ext4Volume over(Ext4Volume volume) throws Ext4Exception {
    boolean needed =
        volume.superblock().features().has(Feature.HAS_JOURNAL)
            && volume.superblock().features().has(Feature.RECOVER);
    return needed ? volume.seenBy(open(volume)) : volume;
  }

  /**
   * Takes in what was committed since the last time, and lets go of what was checkpointed. Reads
   * two blocks if there is nothing new: the log's end, then its start. Where the start has moved,
   * or the log is empty, it reads the file system's superblock too, for {@link #isMountedAnew} and
   * {@link #isGrown}.
   *
   * @return why the log ended where it did
   * @throws Ext4Exception DAMAGED, which may be a block that was being written, or IO; what was
   *     seen before is then seen still
   */
  public LogEnd catchUp() throws Ext4Exception {
    lock.lock();
    try {
      JournalSuperblock before = superblock;
      boolean failedBefore = behind;
      if (behind || !isUnchanged()) {
        behind = true;
        readOn();
      }
      if (failedBefore || superblock.start() == 0 || !superblock.equals(before)) {
        Ext4Superblock now = home.currentSuperblock();
        mountedAnew |= !now.mount().equals(home.superblock().mount());
        note(now);
      }
      if (behind) {
        view = new View(superblock.format(), history.now());
        noteWhatTheLogHas();
        behind = false;
      }
      return scanner.end();
    } finally {
      lock.unlock();
    }
  }

  private void note(Ext4Superblock now) {
    errorsNoted |= now.hasErrors();
    grown |= now.blockCount() > home.superblock().blockCount();
  }

  /**
   * The kernel notes an error by a transaction where it still can, and growth always. A copy that
   * makes no sense is an error for who relies on it, and nothing to those who do not read it.
   */
  private void noteWhatTheLogHas() throws Ext4Exception {
    if (!copies.containsKey(home.superblockBlock())) {
      return;
    }
    try {
      note(home.by(this).currentSuperblock());
    } catch (Ext4Exception e) {
      if (e.kind() == Ext4Exception.Kind.IO) {
        throw e;
      }
      errorsNoted = true;
    }
  }

  // The start is looked at behind the log's end: if the end had been written over, it has moved.
  private boolean isUnchanged() throws Ext4Exception {
    return scanner.isAtEnd() && JournalSuperblock.read(file).equals(superblock);
  }

  private void readOn() throws Ext4Exception {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      moveStart(JournalSuperblock.read(file));
      takeTransactions();
      // A log that was written over while it was read looks like its end. Its start has then
      // passed that, because it moves before its blocks are used again.
      if (!hasOvertaken(JournalSuperblock.read(file))) {
        return;
      }
    }
    throw file.damaged(0, "the log moves on faster than it can be read");
  }

  /** Blocks that the log has the valid copy of. */
  public int size() {
    return copies.size();
  }

  /** Whether the log has the valid copy of a block. */
  public boolean has(long block) {
    return copies.containsKey(block);
  }

  /** Whether the log has the valid copy of any of some blocks that adjoin. */
  public boolean hasAny(long first, long count) {
    if (copies.size() < count) {
      return copies.keySet().stream().anyMatch(block -> block >= first && block - first < count);
    }
    return LongStream.range(first, first + count).anyMatch(copies::containsKey);
  }

  /**
   * How far into the history of the file system this has caught up. It grows with each transaction,
   * and with each gap. Blocks that are read behind this call are at least of then.
   */
  public long position() {
    return view.position();
  }

  /**
   * Whether no transaction behind a position, as far as this has caught up, wrote or revoked a
   * block. False also where that is not known: behind a gap, because the log has gone round between
   * two looks or was started anew.
   */
  public boolean isUntouched(long block, long since) {
    return history.isUntouched(block, since);
  }

  /**
   * Whether the file system was mounted or checked since this was opened. Then all that was ever
   * read of it may be wrong; it must be opened anew.
   */
  public boolean isMountedAnew() {
    return mountedAnew;
  }

  /**
   * Whether the file system has more blocks than when it was opened, as far as this has caught up.
   * What was read of it is right, and what it has more is not found: it must be opened anew, by the
   * superblock as this shows it.
   */
  public boolean isGrown() {
    return grown;
  }

  /** Whether the kernel has noted errors of the file system, as far as this has caught up. */
  public boolean hasErrors() {
    return errorsNoted;
  }

  private void moveStart(JournalSuperblock moved) {
    // Where the log starts at what comes next, that need not be behind what was read: a mount
    // starts at the beginning of the room again.
    boolean afresh =
        superblock.start() == 0 || moved.sequence() == scanner.sequence() || hasOvertaken(moved);
    if (afresh && !continues(moved)) {
      history.gap();
    }
    superblock = moved;
    if (afresh) {
      copies.clear();
      revoked.clear();
      LogScanner begun = new LogScanner(file, moved, home.superblock().mount().mountedSeconds());
      scanner = begun.knowingTimeOf(scanner);
      return;
    }
    copies.values().removeIf(copy -> moved.isPast(copy.sequence()));
    revoked.values().removeIf(moved::isPast);
    scanner = scanner.goingOn(moved);
  }

  /**
   * Whether a log that starts at what comes next is the one that was read, and not another that was
   * begun with the same sequence. An empty one has no place where it would go on.
   */
  private boolean continues(JournalSuperblock moved) {
    boolean samePlace =
        superblock.start() == 0 || moved.start() == 0 || moved.start() == scanner.at();
    return moved.sequence() == scanner.sequence() && samePlace;
  }

  /** Whether the log starts behind the transaction that this would read next. */
  private boolean hasOvertaken(JournalSuperblock now) {
    return now.isPast(scanner.sequence()) && now.sequence() != scanner.sequence();
  }

  private void takeTransactions() throws Ext4Exception {
    for (Transaction next = scanner.next(); next != null; next = scanner.next()) {
      take(next);
      if (copies.size() > LogScanner.MAX_BLOCKS || revoked.size() > LogScanner.MAX_BLOCKS) {
        throw Ext4Exception.unsupported("a log of more than " + LogScanner.MAX_BLOCKS + " blocks");
      }
    }
  }

  private void take(Transaction transaction) {
    history.took(transaction);
    for (Long block : transaction.revoked()) {
      revoked.put(block, transaction.sequence());
      copies.remove(block);
    }
    for (Copy copy : transaction.copies()) {
      Integer until = revoked.get(copy.tag().home());
      if (until == null || copy.sequence() - until > 0) {
        copies.put(copy.tag().home(), copy);
      }
    }
  }

  @Override
  public int blockSize() {
    return device.blockSize();
  }

  @Override
  public long blockCount() {
    return device.blockCount();
  }

  @Override
  public ByteBuffer block(long number) throws Ext4Exception {
    LogFormat format = view.format();
    Copy copy = copies.get(number);
    return copy == null ? device.block(number) : read(copy, format);
  }

  /**
   * A copy, or the device's block where it has been checkpointed and perhaps written over since.
   * Without checksums, or with those of 16 bits, nothing tells that for sure but the log's start,
   * read behind the copy.
   */
  private ByteBuffer read(Copy copy, LogFormat format) throws Ext4Exception {
    ByteBuffer bytes = file.block(copy.at());
    boolean holds = format.copyHolds(bytes, copy.sequence(), copy.tag().checksum());
    boolean looksWhole = holds && format.checksumV3();
    if (!looksWhole && JournalSuperblock.read(file).isPast(copy.sequence())) {
      return device.block(copy.tag().home());
    }
    if (!holds) {
      throw file.damaged(copy.at(), "checksum of a copy of block " + copy.tag().home());
    }
    return (copy.tag().escaped() ? unescaped(bytes) : bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer unescaped(ByteBuffer copy) {
    ByteBuffer bytes = ByteBuffer.allocate(copy.capacity());
    return bytes.put(copy).flip().putInt(0, LogFormat.MAGIC);
  }
}
