// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.Arrays;
import java.util.Collections;
import java.util.PriorityQueue;

/** Belady's MIN, which knows the future: evicts the object whose next request is furthest away. */
final class Belady implements Policy {
  private static final int NOT_RESIDENT = -1;

  private final Trace trace;
  private final int[] nextRequest;
  // Of each resident object the position of its next request; beyond the end, position end +
  // object.
  private final int[] due;
  // May hold positions that were reached meanwhile; those are skipped.
  private final PriorityQueue<Integer> furthestFirst =
      new PriorityQueue<>(Collections.reverseOrder());
  private final int capacity;
  private int resident;
  private int now;

  Belady(int capacity, Trace trace) {
    this.capacity = capacity;
    this.trace = trace;
    this.due = new int[trace.objects()];
    this.nextRequest = new int[trace.length()];
    int[] next = new int[trace.objects()];
    Arrays.setAll(next, object -> trace.length() + object);
    for (int i = trace.length() - 1; i >= 0; i--) {
      nextRequest[i] = next[trace.object(i)];
      next[trace.object(i)] = i;
    }
    Arrays.fill(due, NOT_RESIDENT);
  }

  @Override
  public boolean request(int object) {
    boolean hit = due[object] != NOT_RESIDENT;
    if (!hit) {
      if (resident == capacity) {
        evict();
      }
      resident++;
    }
    due[object] = nextRequest[now++];
    furthestFirst.add(due[object]);
    return hit;
  }

  private void evict() {
    int victim;
    int position;
    do {
      position = furthestFirst.remove();
      victim = position < trace.length() ? trace.object(position) : position - trace.length();
    } while (due[victim] != position);
    due[victim] = NOT_RESIDENT;
    resident--;
  }
}
