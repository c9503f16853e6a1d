// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a file that a stream keeps ways to, at most so many. Thread-safe; a lookup takes no
 * lock and allocates nothing.
 */
final class KeptBlocks {
  private static final KeptBlock[] NONE = {};

  private final int most;

  /** By their place in the file; an array that is in here is not changed any more. */
  private volatile KeptBlock[] sorted = NONE;

  @GuardedBy("this")
  private int hand;

  @GuardedBy("this")
  private boolean closed;

  /**
   * @param most blocks; a further one takes the place of one of them, each in its turn
   */
  KeptBlocks(int most) {
    this.most = most;
  }

  /** The one that holds an offset of the file; null if there is none. */
  @Nullable KeptBlock find(long offset) {
    KeptBlock[] blocks = sorted;
    int place = place(blocks, offset) - 1;
    return place >= 0 && blocks[place].holds(offset) ? blocks[place] : null;
  }

  /** How many begin at or before an offset. */
  private static int place(KeptBlock[] blocks, long offset) {
    int low = 0;
    int high = blocks.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (blocks[middle].start() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Keeps a block, unless it is kept already: then the new one is closed.
   *
   * @return the one that is kept; null, and the new one is closed, once all are
   */
  synchronized @Nullable KeptBlock add(KeptBlock block) {
    KeptBlock others = find(block.start());
    if (others != null || closed) {
      block.close();
      return others;
    }
    if (sorted.length == most) {
      hand = (hand + 1) % most;
      remove(sorted[hand]);
    }
    KeptBlock[] before = sorted;
    int at = place(before, block.start());
    KeptBlock[] after = new KeptBlock[before.length + 1];
    System.arraycopy(before, 0, after, 0, at);
    after[at] = block;
    System.arraycopy(before, at, after, at + 1, before.length - at);
    sorted = after;
    return block;
  }

  /** Closes a block and keeps it no more. */
  @SuppressWarnings("ReferenceEquality") // Another object is another way to the block.
  synchronized void remove(KeptBlock block) {
    KeptBlock[] before = sorted;
    int at = place(before, block.start()) - 1;
    if (at >= 0 && before[at] == block) {
      KeptBlock[] after = new KeptBlock[before.length - 1];
      System.arraycopy(before, 0, after, 0, at);
      System.arraycopy(before, at + 1, after, at, after.length - at);
      sorted = after;
    }
    block.close();
  }

  /** Closes all; later ones may be added. */
  synchronized void clear() {
    KeptBlock[] before = sorted;
    sorted = NONE;
    for (KeptBlock block : before) {
      block.close();
    }
  }

  /** Closes all, and any that is added later. */
  synchronized void close() {
    closed = true;
    clear();
  }
}
