// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.journal.LogFormat.Tag;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads transactions from the log one behind the other, as far as they are committed. Of a
 * transaction it reads the descriptors, the revoke blocks and the commit block; copies are skipped.
 * For one thread at a time.
 *
 * <p>It takes at most as many blocks as the log has room for before it must be given a new
 * superblock, so a log that leads round and round comes to an end. A journal whose file has the
 * same blocks again and again has room without end, so the blocks that are read and the records of
 * a transaction are counted too.
 */
final class LogScanner {
  /**
   * Blocks of one transaction, and of the map of copies: as many as the largest log has that mke2fs
   * makes by itself, 1 GiB of 4 KiB. The map of so many takes some 35 MB.
   */
  static final int MAX_BLOCKS = 1 << 18;

  /** Descriptors that are read before a new superblock is needed. */
  private static final int MAX_READS = 1 << 20;

  private final JournalFile file;
  private final JournalSuperblock superblock;
  private final long mountedSeconds;
  private long at;
  private int sequence;
  private long commitSeconds = Long.MIN_VALUE;
  private long blocksLeft;
  private int readsLeft = MAX_READS;
  private LogEnd end;

  /**
   * Starts at the beginning of the log.
   *
   * @param mountedSeconds since 1970 when the file system was mounted, which is when the log began
   */
  LogScanner(JournalFile file, JournalSuperblock superblock, long mountedSeconds) {
    this.file = file;
    this.superblock = superblock;
    this.mountedSeconds = mountedSeconds;
    this.at = superblock.start();
    this.sequence = superblock.sequence();
    this.blocksLeft = superblock.end() - superblock.first();
    this.end = superblock.start() == 0 ? LogEnd.EMPTY : LogEnd.SEQUENCE;
  }

  /** One that goes on where this one ended, in a log whose start has moved. */
  LogScanner goingOn(JournalSuperblock moved) {
    LogScanner next = new LogScanner(file, moved, mountedSeconds).knowingTimeOf(this);
    next.at = at;
    next.sequence = sequence;
    return next;
  }

  /** This one, told when the last transaction that another has read was committed. */
  LogScanner knowingTimeOf(LogScanner other) {
    commitSeconds = other.commitSeconds;
    return this;
  }

  /**
   * What one transaction did.
   *
   * @param copies of blocks, in the order of the log
   * @param revoked blocks whose copies of this transaction and all before it are void
   */
  record Transaction(int sequence, List<Copy> copies, List<Long> revoked) {}

  /**
   * A copy of a block in the log.
   *
   * @param at block of the journal
   */
  record Copy(int sequence, long at, Tag tag) {}

  /** The sequence of the transaction that comes next. */
  int sequence() {
    return sequence;
  }

  /** Where it begins, a block of the journal. */
  long at() {
    return at;
  }

  /** Why {@link #next} went no further. */
  LogEnd end() {
    return end;
  }

  /** Whether nothing of the next transaction is in the log, seen at its first block. */
  boolean isAtEnd() throws Ext4Exception {
    return superblock.start() == 0 || !LogFormat.isOf(file.block(at), sequence);
  }

  /**
   * The next transaction, or null behind the last one that is committed. One that has no commit
   * block is none, whole or not: a commit block reaches the device when all the rest has.
   *
   * @throws Ext4Exception DAMAGED if a transaction was committed and cannot be read
   */
  @Nullable Transaction next() throws Ext4Exception {
    end = superblock.start() == 0 ? LogEnd.EMPTY : LogEnd.SEQUENCE;
    if (end == LogEnd.EMPTY) {
      return null;
    }
    Walk walk = new Walk();
    ByteBuffer commit = walk.toCommit();
    return commit == null ? null : committed(walk, commit);
  }

  private @Nullable Transaction committed(Walk walk, ByteBuffer commit) throws Ext4Exception {
    long seconds = LogFormat.commitSeconds(commit);
    if (!superblock.format().commitHolds(commit)) {
      end = LogEnd.CHECKSUM;
      return null;
    }
    // A clock is set back now and then. What an earlier log left lies in front of the mount, too.
    if (seconds < commitSeconds && seconds < mountedSeconds) {
      end = LogEnd.COMMIT_TIME;
      return null;
    }
    if (walk.damagedAt >= 0) {
      throw file.damaged(walk.damagedAt, "it was committed as transaction " + sequence);
    }
    Transaction transaction = new Transaction(sequence, walk.copies, walk.revoked);
    commitSeconds = seconds;
    at = superblock.behind(walk.block);
    blocksLeft -= walk.blocks;
    sequence++;
    return transaction;
  }

  /** The way through one transaction. */
  private final class Walk {
    final List<Copy> copies = new ArrayList<>();
    final List<Long> revoked = new ArrayList<>();
    long block = at;
    long blocks = 1;

    /** The first block that is of this transaction and not whole; it may never be committed. */
    long damagedAt = -1;

    /**
     * The transaction's commit block, or null if it has none. A block that is not whole does not
     * say where it goes on, so behind one each is looked at, as far as the next of this transaction
     * can be: no copy looks like a block of the log's own.
     */
    @Nullable ByteBuffer toCommit() throws Ext4Exception {
      int mostCopies = superblock.format().mostTags(file.blockSize());
      long last = blocks;
      while (blocks <= blocksLeft) {
        readsLeft--;
        requireBounded();
        ByteBuffer bytes = file.block(block);
        if (LogFormat.isOf(bytes, sequence)) {
          if (LogFormat.type(bytes) == LogFormat.COMMIT) {
            return bytes;
          }
          last = blocks;
          take(bytes);
        } else if (damagedAt < 0 || blocks - last > mostCopies) {
          return null;
        }
        step();
      }
      return null;
    }

    private void take(ByteBuffer bytes) {
      if (damagedAt >= 0) {
        return;
      }
      if (!superblock.format().tailHolds(bytes)) {
        suspect();
        return;
      }
      switch (LogFormat.type(bytes)) {
        case LogFormat.DESCRIPTOR -> take(superblock.format().tags(bytes));
        case LogFormat.REVOKE -> take(superblock.format().revoked(bytes));
        default -> suspect();
      }
    }

    private void take(@Nullable List<Tag> tags) {
      if (tags == null || tags.size() > blocksLeft - blocks) {
        suspect();
        return;
      }
      for (Tag tag : tags) {
        step();
        copies.add(new Copy(sequence, block, tag));
      }
    }

    private void take(long @Nullable [] numbers) {
      if (numbers == null) {
        suspect();
        return;
      }
      for (long number : numbers) {
        revoked.add(number);
      }
    }

    private void requireBounded() throws Ext4Exception {
      if (readsLeft < 0 || copies.size() > MAX_BLOCKS || revoked.size() > MAX_BLOCKS) {
        throw Ext4Exception.unsupported("a log of more than " + MAX_BLOCKS + " blocks");
      }
    }

    private void suspect() {
      damagedAt = block;
    }

    private void step() {
      block = superblock.behind(block);
      blocks++;
    }
  }
}
