// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.Deadline;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long somebody waits for a DataNode, for all of its answers together and for those who ask it
 * before him. What ran out of it says something about the DataNode only if the DataNode had a fair
 * part of it, and if this client was running meanwhile. Immutable.
 */
final class Patience {
  private final long totalNanos;
  private final MonotonicClock clock;
  private final boolean last;
  private final long beganNanos;
  private final Deadline deadline;

  private Patience(long totalNanos, MonotonicClock clock, boolean last) {
    this.totalNanos = totalNanos;
    this.clock = clock;
    this.last = last;
    this.beganNanos = clock.nanos();
    this.deadline = Deadline.after(totalNanos, TimeUnit.NANOSECONDS);
  }

  /** Counts from now. */
  static Patience of(Duration total, MonotonicClock clock) {
    return new Patience(total.toNanos(), clock, false);
  }

  /** As much again, from now; this client's standing still is no excuse for a second time. */
  Patience anew() {
    return new Patience(totalNanos, clock, true);
  }

  /** When it began, on the clock of leases. */
  long beganNanos() {
    return beganNanos;
  }

  Deadline deadline() {
    return deadline;
  }

  /** What is left of it; 0 or less when it is over. */
  long leftNanos() {
    return deadline.timeRemaining(TimeUnit.NANOSECONDS);
  }

  /**
   * Whether it lasted so much longer than it may that this client did not run meanwhile: it was
   * stopped, collected garbage, or its machine was paused.
   */
  boolean clientStoodStill() {
    return clock.nanos() - beganNanos > totalNanos + totalNanos / 4;
  }

  /**
   * Whether a call's failure is not the DataNode's.
   *
   * @param leftNanos what was left when the call began
   */
  boolean excuses(FallbackException failure, long leftNanos) {
    if (failure.reason() != FallbackReason.METADATA_PLANE_UNREACHABLE) {
      return false;
    }
    boolean hurried = leftNanos < totalNanos / 2 && leftNanos() <= 0;
    return hurried || (clientStoodStill() && !last);
  }
}
