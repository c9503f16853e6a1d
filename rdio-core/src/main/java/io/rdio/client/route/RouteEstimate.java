// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How long reads take by one route, and how many are under way to it: exponentially weighted means.
 * Thread-safe without a lock; of samples that come at the same moment some may be lost.
 */
final class RouteEstimate {
  private static final double USUAL_WEIGHT = 1.0 / 32;

  /** A sample counts as at most so many times the mean: one pause of the JVM is no trend. */
  private static final int MOST = 16;

  private static final int LOOK_MOST = 4;

  private final AtomicInteger underWay = new AtomicInteger();
  private volatile double nanos;
  private volatile double queue = 1;
  private volatile double trialPrice;

  /** A read begins; the reads under way now, itself among them. */
  int begin() {
    return underWay.incrementAndGet();
  }

  /** A read ended, well or not. */
  void end() {
    underWay.decrementAndGet();
  }

  /**
   * What a read took.
   *
   * @param began what {@link #begin} gave
   */
  void sample(int began, long took) {
    sample(began, took, USUAL_WEIGHT, MOST);
  }

  /**
   * What one took that was to find out about the route.
   *
   * @param began what {@link #begin} gave
   * @param weight of it against all before, for looks are few: more than 0, at most 1
   */
  void look(int began, long took, double weight) {
    sample(began, took, weight, LOOK_MOST);
  }

  private void sample(int began, long took, double weight, int mostTimes) {
    double before = nanos;
    double sample = (double) took;
    double most = mostTimes * before;
    nanos = before == 0 ? sample : before + weight * (Math.min(sample, most) - before);
    double queued = queue;
    queue = queued + weight * (began - queued);
  }

  /** A trial found this, with so many reads under way. */
  void put(double meanNanos, int reads) {
    nanos = meanNanos;
    queue = reads;
  }

  /** What the last trial that was in vain lost, for each reader, in nanoseconds; 0 if none was. */
  double trialPrice() {
    return trialPrice;
  }

  /** A trial was in vain, and lost so many nanoseconds for each reader. */
  void trialPrice(double nanosLost) {
    trialPrice = nanosLost;
  }

  /** Nothing that was sampled holds any more. */
  void forget() {
    nanos = 0;
    queue = 1;
  }

  boolean isKnown() {
    return nanos > 0;
  }

  int underWay() {
    return underWay.get();
  }

  /** Mean time of a read as things are, in nanoseconds; 0 if unknown. */
  double nanos() {
    return nanos;
  }

  /**
   * Time of a read, in nanoseconds, if so many were under way. More than were so far wait for each
   * other; fewer are not thought to be faster.
   */
  double nanosWith(int reads) {
    return nanos * Math.max(1, reads / queue);
  }
}
