// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;

/**
 * Inclusive caching: level 2 keeps what was read of it last (LRU), knowing nothing of level 1. The
 * page cache of a storage node that has nothing but its own.
 */
final class LruCache implements StorageCache {
  private static final int LIST = 0;

  private final int capacity;
  private final ObjectLists lists;

  LruCache(int blocks, int capacity) {
    this.capacity = capacity;
    lists = new ObjectLists(blocks, 1);
  }

  @Override
  public int read(int first, int blocks) {
    int hits = 0;
    for (int block = first; block < first + blocks; block++) {
      if (lists.listOf(block) == LIST) {
        hits++;
      } else if (lists.size(LIST) == capacity) {
        lists.removeTail(LIST);
      }
      lists.moveToHead(LIST, block);
    }
    return hits;
  }
}
