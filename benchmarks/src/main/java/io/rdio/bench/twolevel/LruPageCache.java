// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;
import java.util.function.IntConsumer;

/** A page cache as one list, by when a block was read last. */
final class LruPageCache implements PageCache {
  private static final int LIST = 0;

  private final int capacity;
  private final IntConsumer evicted;
  private final ObjectLists lists;

  LruPageCache(int blocks, int capacity, IntConsumer evicted) {
    this.capacity = capacity;
    this.evicted = evicted;
    lists = new ObjectLists(blocks, 1);
  }

  @Override
  public boolean contains(int block) {
    return lists.listOf(block) == LIST;
  }

  @Override
  public boolean read(int block) {
    if (!contains(block)) {
      return false;
    }
    lists.moveToHead(LIST, block);
    return true;
  }

  @Override
  public void add(int block) {
    if (lists.size(LIST) == capacity) {
      evicted.accept(lists.removeTail(LIST));
    }
    lists.moveToHead(LIST, block);
  }
}
