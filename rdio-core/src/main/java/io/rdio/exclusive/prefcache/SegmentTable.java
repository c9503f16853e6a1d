// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.Arrays;

/**
 * The cached segments' states in arrays, found by key through an open-addressed index. Not
 * thread-safe.
 *
 * <p>A segment takes 32 bytes of state and 5 to 11 of index, and 9 for its place in FIFO, or about
 * 50 for its entry in S3-FIFO and what that remembers of evicted ones. Arrays grow by half, so part
 * of them lies idle: with a hundred thousand segments or more it is 72 bytes each at most, or 104
 * (measured). A million segments of 32 KiB, 32 GiB of cache, take up to 72 MB or 104 MB of heap.
 */
final class SegmentTable {
  static final int NONE = -1;
  private static final int MIN_SLOTS = 64;

  // Of each slot. A free one has its successor on the free list in keys.
  private long[] keys = new long[MIN_SLOTS];
  // A block was admitted and has not been let go of by dropping the segment.
  private long[] known = new long[MIN_SLOTS];
  private long[] fetching = new long[MIN_SLOTS];
  private long[] valid = new long[MIN_SLOTS];
  // Slot + 1; 0 where vacant. A power of two, at most three quarters full.
  private int[] index = new int[2 * MIN_SLOTS];
  private int used;
  private int free = NONE;
  private int size;

  /** Slots that exist, in use or not: arrays beside this one are as long. */
  int slots() {
    return keys.length;
  }

  /** Segments here. */
  int size() {
    return size;
  }

  /** The slot of a segment, or {@link #NONE}. */
  int find(long key) {
    int at = home(key);
    while (index[at] != 0 && keys[index[at] - 1] != key) {
      at = next(at);
    }
    return index[at] - 1;
  }

  /** A slot for a segment that is not here, without any block. */
  int add(long key) {
    int slot = freeSlot();
    keys[slot] = key;
    known[slot] = 0;
    fetching[slot] = 0;
    valid[slot] = 0;
    size++;
    if (4L * size > 3L * index.length) {
      growIndex();
    }
    put(slot);
    return slot;
  }

  /** Takes a segment out; its slot will serve another. */
  void remove(int slot) {
    int gap = home(keys[slot]);
    while (index[gap] != slot + 1) {
      gap = next(gap);
    }
    // Later ones of the run move up, so that no probe ends too early.
    for (int at = next(gap); index[at] != 0; at = next(at)) {
      int distance = (at - home(keys[index[at] - 1])) & (index.length - 1);
      if (distance >= ((at - gap) & (index.length - 1))) {
        index[gap] = index[at];
        gap = at;
      }
    }
    index[gap] = 0;
    keys[slot] = free;
    free = slot;
    size--;
  }

  long key(int slot) {
    return keys[slot];
  }

  /** Blocks that were admitted: those being fetched, the valid ones, and what is invalid now. */
  long known(int slot) {
    return known[slot];
  }

  long fetching(int slot) {
    return fetching[slot];
  }

  long valid(int slot) {
    return valid[slot];
  }

  void admit(int slot, long blocks) {
    known[slot] |= blocks;
    fetching[slot] |= blocks;
  }

  void fetched(int slot, long blocks) {
    fetching[slot] &= ~blocks;
    valid[slot] |= blocks;
  }

  void invalidate(int slot, long blocks) {
    fetching[slot] &= ~blocks;
    valid[slot] &= ~blocks;
  }

  /** As if the blocks had never been admitted. */
  void forget(int slot, long blocks) {
    known[slot] &= ~blocks;
    invalidate(slot, blocks);
  }

  /** Blocks that room is kept for: fetched, or being fetched. */
  int weight(int slot) {
    return Long.bitCount(fetching[slot] | valid[slot]);
  }

  private int freeSlot() {
    if (free != NONE) {
      int slot = free;
      free = (int) keys[slot];
      return slot;
    }
    if (used == keys.length) {
      int length = Math.addExact(used, used / 2);
      keys = Arrays.copyOf(keys, length);
      known = Arrays.copyOf(known, length);
      fetching = Arrays.copyOf(fetching, length);
      valid = Arrays.copyOf(valid, length);
    }
    return used++;
  }

  private void growIndex() {
    int[] from = index;
    index = new int[Math.multiplyExact(from.length, 2)];
    for (int entry : from) {
      if (entry != 0) {
        put(entry - 1);
      }
    }
  }

  private void put(int slot) {
    int at = home(keys[slot]);
    while (index[at] != 0) {
      at = next(at);
    }
    index[at] = slot + 1;
  }

  /** A hash whose bits are all good; keys of neighbours differ by one. */
  static int hash(long key) {
    long spread = (key ^ key >>> 32) * 0x9E3779B97F4A7C15L;
    return (int) (spread >>> 32);
  }

  private int home(long key) {
    return hash(key) & (index.length - 1);
  }

  private int next(int at) {
    return (at + 1) & (index.length - 1);
  }
}
