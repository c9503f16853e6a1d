// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The two clocks of write leases: the one that DataNodes' terms are counted on, which jumps ahead
 * when the machine turns out to have been paused, and CLOCK_BOOTTIME itself, on which the library
 * and the kernel's timer count (W9). Thread-safe.
 *
 * @param terms of leases, as {@link io.rdio.client.plane.WriteSlot} has them
 * @param boot CLOCK_BOOTTIME in nanoseconds
 */
record LeaseClock(MonotonicClock terms, LongSupplier boot) {
  /** Longer leases are believed for so long: the library takes none of an hour. */
  private static final long LONGEST_NANOS = Duration.ofMinutes(55).toNanos();

  long nanos() {
    return terms.nanos();
  }

  /** A deadline, cut to what the library takes. */
  long cut(long deadlineNanos) {
    long now = nanos();
    return now + Math.min(deadlineNanos - now, LONGEST_NANOS);
  }

  /**
   * A deadline on CLOCK_BOOTTIME: never later than it is, for that clock is read first, and what
   * passes until the other one is read makes the rest of the term shorter. In the past where the
   * deadline is over, or the other clock has jumped.
   */
  long onBootClock(long deadlineNanos) {
    long now = boot.getAsLong();
    return now + (deadlineNanos - nanos());
  }
}
