// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.eviction;

import io.rdio.core.lease.LeaseClock;
import java.time.Duration;

/** When to try again: twice as late after each failure in a row. Not thread-safe. */
final class BackOff {
  private final LeaseClock clock;
  private final long firstNanos;
  private final long mostNanos;
  private long waitNanos;
  private long failedNanos;

  BackOff(LeaseClock clock, Duration first, Duration most) {
    this.clock = clock;
    this.firstNanos = first.toNanos();
    this.mostNanos = most.toNanos();
  }

  boolean mayTry() {
    return waitNanos == 0 || clock.nanos() - failedNanos >= waitNanos;
  }

  void failed() {
    waitNanos = waitNanos == 0 ? firstNanos : Math.min(2 * waitNanos, mostNanos);
    failedNanos = clock.nanos();
  }

  void succeeded() {
    waitNanos = 0;
  }
}
