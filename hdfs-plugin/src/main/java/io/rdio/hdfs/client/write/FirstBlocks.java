// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a new file from the first one on, until stock HDFS takes over: the file was small,
 * it was flushed, or a block could not be begun. A block's first bytes are kept here; one that has
 * no more is asked for as long as it is when the file ends, so that it takes no slot for a full
 * one. Meanwhile the full block before it is committed; if that fails, the next call says so. For
 * one thread at a time.
 */
final class FirstBlocks implements Closeable {
  /** Bytes of a block that are kept at most before it is begun; of the first one, if not small. */
  static final int WHOLE_BYTES = 4 << 20;

  /** Bytes that are put into a block at once at least. */
  static final int PIECE_BYTES = 64 << 10;

  private static final byte[] NOTHING = {};

  private final OpenFile file;
  private final NewBlocks blocks;
  private final int small;
  private final int whole;
  private final Executor commits;
  private boolean begun;
  private byte[] kept = NOTHING;
  private int keptFrom;
  private int keptTo;
  private @Nullable OpenBlock block;

  /** Of the block before; there is none while one is open. */
  private @Nullable BlockCommit commit;

  private @Nullable ExtendedBlock last;

  /**
   * @param small bytes from which on it is not small
   * @param whole bytes above which a block is begun before its length is known; half a block, if
   *     that is less: what is longer needs as large a slot anyway
   * @param commits where full blocks are committed; may reject work
   */
  FirstBlocks(OpenFile file, NewBlocks blocks, int small, int whole, Executor commits) {
    this.file = file;
    this.blocks = blocks;
    this.small = small;
    this.whole = (int) Math.min(whole, file.blockBytes() / 2);
    this.commits = commits;
  }

  /**
   * Takes bytes.
   *
   * @return how many; fewer than {@code count} if stock HDFS is to take over, behind {@link
   *     #leftOver}
   * @throws IOException if the file is lost
   */
  int write(byte[] source, int at, int count) throws IOException {
    BlockCommit before = commit;
    if (before != null && before.isOver()) {
      finishCommit();
    }
    int done = 0;
    while (count - done > limit() - keptBytes()) { // their sum may be no int
      int part;
      if (keptBytes() > 0) {
        part = put(kept, keptFrom, keptBytes(), file.blockBytes());
        drop(part);
      } else {
        part = put(source, at + done, count - done, file.blockBytes());
        done += part;
      }
      if (part == 0) {
        return done;
      }
    }
    keep(source, at + done, count - done);
    return count;
  }

  /** Bytes that are kept at most. */
  private int limit() {
    if (block != null) {
      return PIECE_BYTES - 1;
    }
    return begun ? whole : Math.max(small, whole);
  }

  private int keptBytes() {
    return keptTo - keptFrom;
  }

  /** Keeps so many bytes more, for which there is room up to the limit. */
  private void keep(byte[] source, int at, int count) {
    int has = keptBytes();
    if (keptFrom > 0 || has + count > kept.length) {
      int enough = Math.max(has + count, (int) Math.min(2L * kept.length, limit()));
      byte[] more = new byte[Math.max(PIECE_BYTES, enough)];
      System.arraycopy(kept, keptFrom, more, 0, has);
      kept = more;
      keptFrom = 0;
      keptTo = has;
    }
    System.arraycopy(source, at, kept, keptTo, count);
    keptTo += count;
  }

  /** Drops kept bytes that are in a block; of an empty array no more than a piece stays. */
  private void drop(int count) {
    keptFrom += count;
    if (keptFrom == keptTo) {
      keptFrom = 0;
      keptTo = 0;
      if (kept.length > PIECE_BYTES) {
        kept = NOTHING;
      }
    }
  }

  /**
   * Puts bytes into the block that is open, or into the next one, which has at most so many.
   *
   * @return how many: as far as the block goes; 0 if stock HDFS is to take over
   */
  private int put(byte[] source, int at, int count, long bytes) throws IOException {
    begun = true;
    OpenBlock to = block;
    if (to == null) {
      finishCommit();
      to = blocks.next(last, Math.min(bytes, file.blockBytes()));
      if (to == null) {
        return 0;
      }
      block = to;
    }
    int part = (int) Math.min(count, file.blockBytes() - to.length());
    to.write(source, at, part);
    if (to.length() == file.blockBytes()) {
      commit = new BlockCommit(to, commits);
      block = null;
    }
    file.tick();
    return part;
  }

  private void finishCommit() throws IOException {
    BlockCommit before = commit;
    if (before != null) {
      last = before.await();
      commit = null;
      before.close();
    }
  }

  /** Whether it is small so far: nobody was asked for anything. */
  boolean isSmall() {
    return !begun && keptBytes() < Math.max(1, small);
  }

  /**
   * Commits what was taken, unless it is small: all but what {@link #leftOver} has is in blocks
   * then.
   *
   * @throws IOException if the file is lost
   */
  void end() throws IOException {
    while (!isSmall() && keptBytes() > 0) {
      int part = put(kept, keptFrom, keptBytes(), keptBytes());
      if (part == 0) {
        return;
      }
      drop(part);
    }
    OpenBlock open = block;
    if (open != null) {
      last = open.commit();
      block = null;
      open.close();
    }
    finishCommit();
  }

  /** The last block that was committed; null if none was. */
  @Nullable ExtendedBlock last() {
    return last;
  }

  /** Bytes that were taken and are in no block. */
  byte[] leftOver() {
    return Arrays.copyOfRange(kept, keptFrom, keptTo);
  }

  /**
   * Gives up the block that was begun and not committed; waits for one whose Commit is under way.
   */
  @Override
  public void close() {
    OpenBlock open = block;
    if (open != null) {
      open.close();
      block = null;
    }
    BlockCommit before = commit;
    if (before != null) {
      before.close();
      commit = null;
    }
  }
}
