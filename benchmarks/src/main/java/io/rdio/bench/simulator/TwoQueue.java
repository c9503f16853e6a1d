// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

/**
 * 2Q (VLDB'94), the full version: new objects wait in the FIFO queue A1in, those evicted from it
 * are remembered in A1out, and those that come back from there go to the LRU queue Am. A1in is
 * given a quarter of the cache and A1out half as many entries as the cache has, as the paper
 * recommends.
 */
final class TwoQueue implements Policy {
  private static final int A1_IN = 0;
  private static final int A1_OUT = 1;
  private static final int AM = 2;

  private final ObjectLists lists;
  private final int capacity;
  private final int inLimit;
  private final int outLimit;

  TwoQueue(int capacity, Trace trace) {
    this.lists = new ObjectLists(trace.objects(), 3);
    this.capacity = capacity;
    this.inLimit = Math.max(1, capacity / 4);
    this.outLimit = Math.max(1, capacity / 2);
  }

  @Override
  public boolean request(int object) {
    switch (lists.listOf(object)) {
      case AM -> lists.moveToHead(AM, object);
      case A1_IN -> {}
      case A1_OUT -> {
        lists.remove(object);
        makeRoom();
        lists.moveToHead(AM, object);
        return false;
      }
      default -> {
        makeRoom();
        lists.moveToHead(A1_IN, object);
        return false;
      }
    }
    return true;
  }

  private void makeRoom() {
    if (lists.size(A1_IN) + lists.size(AM) < capacity) {
      return;
    }
    if (lists.size(A1_IN) > inLimit || lists.size(AM) == 0) {
      lists.moveToHead(A1_OUT, lists.tail(A1_IN));
      if (lists.size(A1_OUT) > outLimit) {
        lists.removeTail(A1_OUT);
      }
    } else {
      lists.removeTail(AM);
    }
  }
}
