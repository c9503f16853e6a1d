// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a new file from the first one on, until stock HDFS takes over: the file was small,
 * it was flushed, or a block could not be begun. Nothing is begun before the file has so many bytes
 * that it is not small; these, and later what comes in small pieces, are kept here meanwhile. For
 * one thread at a time.
 */
final class FirstBlocks implements Closeable {
  /** Bytes that are put into a block at once at least. */
  static final int PIECE_BYTES = 64 << 10;

  private final OpenFile file;
  private final NewBlocks blocks;
  private final int small;
  private boolean begun;
  private byte[] kept = new byte[0];
  private int keptFrom;
  private int keptTo;
  private @Nullable OpenBlock block;
  private @Nullable ExtendedBlock last;

  /**
   * @param small bytes from which on it is not small
   */
  FirstBlocks(OpenFile file, NewBlocks blocks, int small) {
    this.file = file;
    this.blocks = blocks;
    this.small = small;
  }

  /**
   * Takes bytes.
   *
   * @return how many; fewer than {@code count} if stock HDFS is to take over, behind {@link
   *     #leftOver}
   * @throws IOException if the file is lost
   */
  int write(byte[] source, int at, int count) throws IOException {
    if (count < room()) {
      keep(source, at, count);
      return count;
    }
    begun = true;
    if (!writeKept()) {
      return 0;
    }
    if (count < PIECE_BYTES) {
      keep(source, at, count);
      return count;
    }
    return writeBlocks(source, at, count);
  }

  /** Bytes that can be kept, and one more. */
  private int room() {
    return (begun ? PIECE_BYTES : small) - keptTo;
  }

  private void keep(byte[] source, int at, int count) {
    int end = keptTo + count;
    if (kept.length < end) {
      int enough = Math.max(end, Math.min(2 * kept.length, small));
      kept = Arrays.copyOf(kept, Math.max(PIECE_BYTES, enough));
    }
    System.arraycopy(source, at, kept, keptTo, count);
    keptTo = end;
  }

  /** False if stock HDFS is to take over. */
  private boolean writeKept() throws IOException {
    keptFrom += writeBlocks(kept, keptFrom, keptTo - keptFrom);
    if (keptFrom < keptTo) {
      return false;
    }
    keptFrom = 0;
    keptTo = 0;
    if (kept.length > PIECE_BYTES) {
      kept = new byte[PIECE_BYTES];
    }
    return true;
  }

  private int writeBlocks(byte[] source, int at, int count) throws IOException {
    int done = 0;
    while (done < count) {
      OpenBlock to = block;
      if (to == null) {
        to = blocks.next(last);
        if (to == null) {
          return done;
        }
        block = to;
      }
      int part = (int) Math.min(count - done, file.blockBytes() - to.length());
      to.write(source, at + done, part);
      done += part;
      if (to.length() == file.blockBytes()) {
        commit(to);
      }
      file.tick();
    }
    return done;
  }

  private void commit(OpenBlock full) throws IOException {
    last = full.commit();
    block = null;
    full.close();
  }

  /** Whether it is small so far: nobody was asked for anything. */
  boolean isSmall() {
    return !begun;
  }

  /**
   * Commits what was taken, unless it is small: all but what {@link #leftOver} has is in blocks
   * then.
   *
   * @throws IOException if the file is lost
   */
  void end() throws IOException {
    if (!begun || !writeKept()) {
      return;
    }
    OpenBlock open = block;
    if (open != null) {
      commit(open);
    }
  }

  /** The last block that was committed; null if none was. */
  @Nullable ExtendedBlock last() {
    return last;
  }

  /** Bytes that were taken and are in no block. */
  byte[] leftOver() {
    return Arrays.copyOfRange(kept, keptFrom, keptTo);
  }

  /** Gives up the block that was begun and not committed. Idempotent. */
  @Override
  public void close() {
    OpenBlock open = block;
    if (open != null) {
      open.close();
      block = null;
    }
  }
}
