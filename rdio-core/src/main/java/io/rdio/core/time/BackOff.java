// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to leave alone what failed or was busy: exponential back-off with equal jitter. The n-th
 * failure in a row, from 0, is followed by a pause of at least half of {@code min(longest, first *
 * 2^n)} and at most all of it, at random, so that many clients that failed together do not come
 * back together. Thread-safe.
 */
public final class BackOff {
  private final long firstNanos;
  private final long longestNanos;
  private final MonotonicClock clock;
  private final DoubleSupplier random;

  @GuardedBy("this")
  private int failures;

  @GuardedBy("this")
  private long untilNanos;

  /**
   * @param first pause, at most; more than 0
   * @param longest pause, at most; not less than {@code first}
   * @param random numbers from 0 to 1, for any thread
   */
  public BackOff(Duration first, Duration longest, MonotonicClock clock, DoubleSupplier random) {
    this.firstNanos = first.toNanos();
    this.longestNanos = Math.max(firstNanos, longest.toNanos());
    this.clock = clock;
    this.random = random;
  }

  /** Without jitter, for what comes back alone: each pause is as long as it may be. */
  public BackOff(Duration first, Duration longest, MonotonicClock clock) {
    this(first, longest, clock, () -> 1);
  }

  /** Nanoseconds that are left of the pause; 0 or less where there is none. */
  public synchronized long leftNanos() {
    return failures == 0 ? 0 : untilNanos - clock.nanos();
  }

  /**
   * Starts a pause.
   *
   * @param atLeastNanos comes on top of the jitter: what the other side asked for
   * @return true if all was in order until now
   */
  public synchronized boolean failed(long atLeastNanos) {
    long most = firstNanos;
    for (int i = 0; i < failures && most < longestNanos; i++) {
      most *= 2;
    }
    most = Math.min(most, longestNanos);
    untilNanos = clock.nanos() + atLeastNanos + most / 2 + (long) (random.getAsDouble() * most / 2);
    return failures++ == 0;
  }

  /** All is in order: true if it was not until now. */
  public synchronized boolean succeeded() {
    boolean recovered = failures > 0;
    failures = 0;
    return recovered;
  }
}
