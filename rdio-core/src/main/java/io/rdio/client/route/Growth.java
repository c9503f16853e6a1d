// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether reads take longer than they did, and what that has cost since. Thread-safe without a
 * lock; of reads that come at the same moment some may be lost.
 */
final class Growth {
  /** Reads that take so many times longer than before have changed; less is a passing pause. */
  private static final double GROWN = 1.5;

  /** Reads behind the change that tell whether it passes. */
  private static final int ENOUGH = 16;

  private volatile boolean grown;
  private volatile double from;
  private final AtomicLong cost = new AtomicLong();

  /** A read took so long; all of them, before it, are in {@code usual}, which takes it in. */
  void add(long nanos, ReadTimes usual) {
    double before = usual.mean();
    boolean grows = usual.add(nanos);
    if (grows && !grown) {
      from = before;
      cost.set(0);
      grown = true;
    } else if (grown) {
      cost.addAndGet((long) ((double) nanos - from));
      grown = usual.count() < ENOUGH || usual.mean() >= GROWN * from;
    }
  }

  /** Whether reads took longer, together, by so many nanoseconds or more since they grew. */
  boolean hasCost(double nanos) {
    return grown && (double) cost.get() >= nanos;
  }

  /** What they take now is what they take. */
  void forget() {
    grown = false;
  }
}
