// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/**
 * How long reads take: their mean, how sure it is, and whether it still holds. Thread-safe without
 * a lock; of samples that come at the same moment some may be lost.
 */
final class ReadTimes {
  /** A mean of so many samples forgets the oldest ones. */
  private static final int MEMORY = 128;

  /** A sample counts as at most so many times the mean: one pause of the JVM is no trend. */
  private static final int MOST = 8;

  /** What a change sums up to, in means, beyond a slack for each sample that chance may use. */
  private static final double CHANGE = 16;

  private static final double GROWTH_SLACK = 0.25;
  private static final double FALL_SLACK = 0.4;

  private volatile int count;
  private volatile double mean;
  private volatile double variance;
  private volatile double growth;
  private volatile double fall;

  /**
   * A read took so long.
   *
   * @return whether reads take longer than they did, for good; what was known is forgotten then, as
   *     it is, silently, when they no longer take as long
   */
  boolean add(long nanos) {
    int before = count;
    double old = mean;
    double spread = variance;
    double sample =
        before == 0 ? (double) Math.max(1, nanos) : Math.min((double) nanos, MOST * old);
    double off = sample - old;
    double weight = 1.0 / Math.min(before + 1, MEMORY);
    mean = before == 0 ? sample : old + weight * off;
    variance = before == 0 ? 0 : (1 - weight) * (spread + weight * off * off);
    count = Math.min(before + 1, MEMORY);
    return before > 0 && isChange(off / Math.max(1, old));
  }

  private boolean isChange(double off) {
    double grown = Math.max(0, growth + off - GROWTH_SLACK);
    double fallen = Math.max(0, fall - off - FALL_SLACK);
    growth = grown;
    fall = fallen;
    if (grown < CHANGE && fallen < CHANGE) {
      return false;
    }
    forget();
    return grown >= CHANGE;
  }

  /** The mean stays until the next sample, for want of a better one. */
  void forget() {
    count = 0;
    growth = 0;
    fall = 0;
  }

  /** Takes over what another one found. */
  void become(ReadTimes other) {
    mean = other.mean;
    variance = other.variance;
    growth = 0;
    fall = 0;
    count = other.count;
  }

  /** Samples that the mean is of, of which very old ones do not count. */
  int count() {
    return count;
  }

  /** In nanoseconds; 0 if unknown. */
  double mean() {
    return mean;
  }

  /** Square of the mean's standard error. */
  private double doubt() {
    return variance / Math.max(1, count);
  }

  /** By how many standard errors the mean is less than another one; negative if it is more. */
  double lessThan(ReadTimes other) {
    return (other.mean - mean) / Math.max(1, Math.sqrt(doubt() + other.doubt()));
  }
}
