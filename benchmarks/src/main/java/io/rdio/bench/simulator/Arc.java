// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

/**
 * ARC (FAST'03): T1 holds what was requested once, T2 what was requested more often, and the ghost
 * lists B1 and B2 what was evicted from either; a hit in a ghost list moves the target size of T1.
 * As in libCacheSim the target is a real number and the lists change only once the cache is full.
 */
final class Arc implements Policy {
  private static final int T1 = 0;
  private static final int T2 = 1;
  private static final int B1 = 2;
  private static final int B2 = 3;

  private final ObjectLists lists;
  private final int capacity;
  private double target;

  Arc(int capacity, Trace trace) {
    this.lists = new ObjectLists(trace.objects(), 4);
    this.capacity = capacity;
  }

  @Override
  public boolean request(int object) {
    int list = lists.listOf(object);
    switch (list) {
      case T1, T2 -> {
        lists.moveToHead(T2, object);
        return true;
      }
      case B1, B2 -> {
        adapt(list);
        lists.remove(object);
        if (isFull()) {
          replace(list == B2);
        }
        lists.moveToHead(T2, object);
      }
      default -> {
        if (isFull()) {
          makeRoomForNew();
        }
        lists.moveToHead(T1, object);
      }
    }
    return false;
  }

  private boolean isFull() {
    return lists.size(T1) + lists.size(T2) >= capacity;
  }

  private void adapt(int ghost) {
    double ratio = (double) lists.size(B2) / lists.size(B1);
    target =
        ghost == B1
            ? Math.min(target + Math.max(ratio, 1), capacity)
            : Math.max(target - Math.max(1 / ratio, 1), 0);
  }

  private void makeRoomForNew() {
    if (lists.size(T1) + lists.size(B1) >= capacity) {
      if (lists.size(B1) == 0) {
        lists.removeTail(T1);
        return;
      }
      lists.removeTail(B1);
    } else if (lists.size(B2) > 0
        && lists.size(T1) + lists.size(T2) + lists.size(B1) + lists.size(B2) >= 2 * capacity) {
      lists.removeTail(B2);
    }
    replace(false);
  }

  private void replace(boolean hitInB2) {
    boolean overTarget =
        lists.size(T1) > target || (hitInB2 && Double.compare(lists.size(T1), target) == 0);
    if ((lists.size(T1) > 0 && overTarget) || lists.size(T2) == 0) {
      lists.moveToHead(B1, lists.tail(T1));
    } else {
      lists.moveToHead(B2, lists.tail(T2));
    }
  }
}
