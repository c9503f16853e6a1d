// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;

/**
 * How long this process has run, without the time in which its machine stood still: counted in
 * steps, each of which counts once, however far the clock has jumped meanwhile. So the kernel's own
 * times, for a command or a lost connection, have passed within it, too. It is counted only as long
 * as somebody wants to know it, at first not at all. Thread-safe.
 */
final class AwakeTime {
  static final Duration STEP = Duration.ofSeconds(1);

  private final MonotonicClock clock;

  @GuardedBy("this")
  private long lastNanos;

  @GuardedBy("this")
  private long awakeNanos;

  @GuardedBy("this")
  private long wantedNanos;

  AwakeTime(MonotonicClock clock) {
    this.clock = clock;
    this.lastNanos = clock.nanos();
  }

  /** What was counted so far. */
  synchronized long nanos() {
    return awakeNanos;
  }

  /** From when on what begins now is to be timed: what is over of the present step is not its. */
  synchronized long mark() {
    return awakeNanos >= wantedNanos
        ? awakeNanos
        : awakeNanos + Math.min(STEP.toNanos(), clock.nanos() - lastNanos);
  }

  /** Has so much more counted than there is now, at least. */
  synchronized void count(long nanos) {
    if (awakeNanos >= wantedNanos) {
      lastNanos = clock.nanos(); // nobody has counted
    }
    wantedNanos = Math.max(wantedNanos, awakeNanos + nanos);
  }

  /** Counts a step, if one is over; nanoseconds until the next one is. */
  synchronized long step() {
    if (awakeNanos >= wantedNanos) {
      return Long.MAX_VALUE;
    }
    long now = clock.nanos();
    long left = STEP.toNanos() - (now - lastNanos);
    if (left > 0) {
      return left;
    }
    lastNanos = now;
    awakeNanos += STEP.toNanos();
    return STEP.toNanos();
  }
}
