// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;
import java.util.function.IntConsumer;

/**
 * Inclusive caching: level 2 keeps what was read of it last (LRU), knowing nothing of level 1. The
 * page cache of a storage node that has nothing but its own.
 */
final class LruCache implements StorageCache {
  private static final int LIST = 0;

  private final int capacity;
  private final IntConsumer dropped;
  private final ObjectLists lists;

  /**
   * Creates an empty cache.
   *
   * @param dropped is told of each block that leaves
   */
  LruCache(int blocks, int capacity, IntConsumer dropped) {
    this.capacity = capacity;
    this.dropped = dropped;
    lists = new ObjectLists(blocks, 1);
  }

  /** Whether a block is here. */
  boolean contains(int block) {
    return lists.listOf(block) == LIST;
  }

  @Override
  public int read(int first, int blocks) {
    int hits = 0;
    for (int block = first; block < first + blocks; block++) {
      if (contains(block)) {
        hits++;
      } else if (lists.size(LIST) == capacity) {
        dropped.accept(lists.removeTail(LIST));
      }
      lists.moveToHead(LIST, block);
    }
    return hits;
  }
}
