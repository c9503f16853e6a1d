// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.Arrays;

/**
 * LIRS (SIGMETRICS'02): objects of low inter-reference recency (LIR) fill all but 1% of the cache;
 * the rest is for resident HIR objects, in a queue. The stack holds objects by recency, HIR objects
 * that are no longer resident included, and always ends with an LIR object.
 */
final class Lirs implements Policy {
  private static final double HIR_SHARE = 0.01;
  private static final int LIST = 0;

  private enum Status {
    ABSENT,
    LIR,
    HIR
  }

  private final ObjectLists stack;
  private final ObjectLists queue;
  private final Status[] status;
  private final int capacity;
  private final int lirLimit;
  private int lirs;

  Lirs(int capacity, Trace trace) {
    this.stack = new ObjectLists(trace.objects(), 1);
    this.queue = new ObjectLists(trace.objects(), 1);
    this.status = new Status[trace.objects()];
    Arrays.fill(status, Status.ABSENT);
    this.capacity = capacity;
    this.lirLimit = capacity - Math.max(1, (int) (capacity * HIR_SHARE));
  }

  @Override
  public boolean request(int object) {
    Status before = status[object];
    boolean inStack = stack.listOf(object) == LIST;
    switch (before) {
      case LIR -> {
        stack.moveToHead(LIST, object);
        prune();
      }
      case HIR -> hirRequested(object, inStack);
      case ABSENT -> {
        if (lirs + queue.size(LIST) >= capacity) {
          // Where the victim is in the stack it stays there, and is remembered that way.
          status[queue.removeTail(LIST)] = Status.ABSENT;
        }
        if (lirs < lirLimit) {
          status[object] = Status.LIR;
          lirs++;
          stack.moveToHead(LIST, object);
        } else {
          hirRequested(object, inStack);
        }
      }
    }
    return before != Status.ABSENT;
  }

  /** An HIR object that was still in the stack has a shorter recency than the last LIR object. */
  private void hirRequested(int object, boolean inStack) {
    stack.moveToHead(LIST, object);
    if (!inStack || lirLimit == 0) {
      status[object] = Status.HIR;
      queue.moveToHead(LIST, object);
      return;
    }
    if (status[object] == Status.HIR) {
      queue.remove(object);
    }
    status[object] = Status.LIR;
    lirs++;
    int last = stack.removeTail(LIST);
    status[last] = Status.HIR;
    lirs--;
    queue.moveToHead(LIST, last);
    prune();
  }

  private void prune() {
    while (status[stack.tail(LIST)] != Status.LIR) {
      stack.removeTail(LIST);
    }
  }
}
