// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.time.MonotonicClock;
import java.time.Duration;

/** When to try again: twice as late after each failure in a row. Not thread-safe. */
public final class BackOff {
  private final MonotonicClock clock;
  private final long firstNanos;
  private final long mostNanos;
  private long waitNanos;
  private long failedNanos;

  public BackOff(MonotonicClock clock, Duration first, Duration most) {
    this.clock = clock;
    this.firstNanos = first.toNanos();
    this.mostNanos = most.toNanos();
  }

  boolean mayTry() {
    return waitNanos == 0 || clock.nanos() - failedNanos >= waitNanos;
  }

  public void failed() {
    waitNanos = waitNanos == 0 ? firstNanos : Math.min(2 * waitNanos, mostNanos);
    failedNanos = clock.nanos();
  }

  public void succeeded() {
    waitNanos = 0;
  }
}
