// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.function.IntConsumer;

/**
 * Inclusive caching: level 2 keeps what was read of it last (LRU), knowing nothing of level 1. The
 * page cache of a storage node that has nothing but its own.
 */
final class LruCache implements StorageCache {
  private final LruPageCache pages;

  /**
   * Creates an empty cache.
   *
   * @param dropped is told of each block that leaves
   */
  LruCache(int blocks, int capacity, IntConsumer dropped) {
    pages = new LruPageCache(blocks, capacity, dropped);
  }

  /** Whether a block is here. */
  boolean contains(int block) {
    return pages.contains(block);
  }

  @Override
  public int read(int first, int blocks) {
    int hits = 0;
    for (int block = first; block < first + blocks; block++) {
      if (pages.read(block)) {
        hits++;
      } else {
        pages.add(block);
      }
    }
    return hits;
  }
}
