// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.core.time.MonotonicClock;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that jumps from one event to the next, and what is to happen when. Events of the same
 * moment happen in the order in which they were asked for. For one thread at a time.
 */
final class VirtualTime implements MonotonicClock {
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private long now;
  private long asked;

  private record Event(long at, long number, Runnable work) {}

  @Override
  public long nanos() {
    return now;
  }

  /** Has something happen so many nanoseconds from now. */
  void after(long nanos, Runnable work) {
    events.add(new Event(now + Math.max(0, nanos), asked, work));
    asked++;
  }

  /** Lets so many nanoseconds pass, and happen what is due in them. */
  void pass(long nanos) {
    long end = now + nanos;
    Event next = events.peek();
    while (next != null && next.at() <= end) {
      events.remove();
      now = next.at();
      next.work().run();
      next = events.peek();
    }
    now = end;
  }
}
