// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells requests for which there is no place when to come again, one after the other at the pace at
 * which places become free, so that they neither come all at once nor leave the DataNode idle. The
 * pace follows from Little's law: where {@code n} requests are under way and one takes {@code t},
 * one ends in each {@code t / n}. Thread-safe.
 */
final class ServerTurns {
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final double WEIGHT_OF_ONE = 1.0 / 32;

  private final LongSupplier clock;
  private double paceNanos = TimeUnit.MILLISECONDS.toNanos(1);
  private long nextNanos;

  /**
   * @param clock monotonic, in nanoseconds
   */
  ServerTurns(LongSupplier clock) {
    this.clock = clock;
    this.nextNanos = clock.getAsLong();
  }

  /** A request ended that took so long while so many were under way, itself included. */
  synchronized void ended(long tookNanos, int underWay) {
    double pace = (double) tookNanos / Math.max(1, underWay);
    paceNanos += (pace - paceNanos) * WEIGHT_OF_ONE;
  }

  /** The next turn, in milliseconds from now: 1 to 5,000. */
  synchronized long nextMillis() {
    long now = clock.getAsLong();
    long next = Math.max(nextNanos - now, 0) + (long) paceNanos;
    long turn = Math.min(next, LONGEST_NANOS);
    nextNanos = now + turn;
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(turn));
  }
}
