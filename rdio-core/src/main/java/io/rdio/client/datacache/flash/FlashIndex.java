// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.util.Arrays;

/**
 * Which chunk is in which slot of the file: 21 to 29 bytes for each slot, in arrays. A chunk is
 * known by a hash of 64 bits only; its sum, which is of its whole name, tells it from another one.
 * Not thread-safe.
 */
final class FlashIndex {
  static final int NONE = -1;

  /** Hits that are counted of a chunk at most, as in S3-FIFO's main queue. */
  private static final int MOST_HITS = 3;

  private final long[] hashes; // by slot; 0 where there is none
  private final int[] sums;
  private final byte[] hits;
  private final int[] table; // slots + 1, by hash; open addressing
  private int size;

  /**
   * @param slots at most 2^24
   */
  FlashIndex(int slots) {
    hashes = new long[slots];
    sums = new int[slots];
    hits = new byte[slots];
    table = new int[Integer.highestOneBit(2 * slots - 1) << 1];
  }

  /** Chunks. */
  int size() {
    return size;
  }

  /**
   * Where a chunk is, or {@link #NONE}.
   *
   * @param hash not 0
   */
  int find(long hash) {
    for (int at = home(hash); table[at] != 0; at = next(at)) {
      if (hashes[table[at] - 1] == hash) {
        return table[at] - 1;
      }
    }
    return NONE;
  }

  /** The hash of the chunk in a slot; 0 if it has none. */
  long hashOf(int slot) {
    return hashes[slot];
  }

  int sumOf(int slot) {
    return sums[slot];
  }

  int hitsOf(int slot) {
    return hits[slot];
  }

  void hit(int slot) {
    if (hits[slot] < MOST_HITS) {
      hits[slot]++;
    }
  }

  /** Puts a chunk that is nowhere into an empty slot. */
  void put(long hash, int slot, int sum, int hitsBefore) {
    int at = home(hash);
    while (table[at] != 0) {
      at = next(at);
    }
    table[at] = slot + 1;
    hashes[slot] = hash;
    sums[slot] = sum;
    hits[slot] = (byte) hitsBefore;
    size++;
  }

  /** Forgets the chunk in a slot, if there is one. */
  void removeSlot(int slot) {
    if (hashes[slot] != 0) {
      remove(hashes[slot]);
    }
  }

  /** Forgets a chunk, if it is here. */
  void remove(long hash) {
    int at = home(hash);
    while (table[at] != 0 && hashes[table[at] - 1] != hash) {
      at = next(at);
    }
    if (table[at] != 0) {
      hashes[table[at] - 1] = 0;
      size--;
      close(at);
    }
  }

  /** Moves those behind a gap that would not be found across it. */
  private void close(int gap) {
    int hole = gap;
    for (int at = next(hole); table[at] != 0; at = next(at)) {
      int fromHome = (at - home(hashes[table[at] - 1])) & (table.length - 1);
      if (fromHome >= ((at - hole) & (table.length - 1))) {
        table[hole] = table[at];
        hole = at;
      }
    }
    table[hole] = 0;
  }

  void clear() {
    Arrays.fill(hashes, 0);
    Arrays.fill(table, 0);
    size = 0;
  }

  private int home(long hash) {
    return (int) hash & (table.length - 1);
  }

  private int next(int at) {
    return (at + 1) & (table.length - 1);
  }
}
