// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/**
 * Whether single reads by a route say that it is worth another trial: they are faster than single
 * reads were behind the last one, by as much as would make it the better route. Single reads are
 * slower than those of a trial, for they are cold, or faster, for they are alone: so they are only
 * ever weighed against their like. But what makes them cold takes a time of its own, which is much
 * beside a fast route and little beside a slow one: so it is a sign as well that they fell to a
 * fraction of what they were, or of what the trial's were, and are not much slower than other
 * reads. Thread-safe without a lock, as {@link ReadTimes} is.
 */
final class Promise {
  private static final double WEIGHT = 1.0 / 4;
  private static final int MOST = 4;
  private static final double PLAINLY = 0.5;
  private static final double PERHAPS = 0.85;

  /** A fall to such a fraction is hardly by chance. */
  private static final double FELL = 1.0 / 4;

  /** How many times slower than others a cold read by the better route may be. */
  private static final double COLD = 3;

  private volatile double tried;
  private volatile double alone;
  private volatile double single;
  private volatile boolean before;

  /**
   * A trial found reads to take so long.
   *
   * @param nanos a read, on average
   * @param readers that read at a time, and may have waited for each other; a single read does not
   */
  void renew(double nanos, int readers) {
    tried = nanos;
    alone = nanos / readers;
    single = 0;
    before = false;
  }

  void forget() {
    renew(0, 1);
  }

  /** A single read took so long; whether that is as good as to call for a trial. */
  boolean isKept(long nanos, double usual) {
    double like = single;
    double sample = (double) nanos;
    boolean fallen = hasFallen(sample, Math.max(like, alone), usual);
    if (like == 0) {
      single = sample;
      return fallen;
    }
    single = like + WEIGHT * (Math.min(sample, MOST * like) - like);
    double expected = tried > 0 ? sample * tried / like : sample;
    boolean perhaps = expected < PERHAPS * usual;
    boolean kept = expected < PLAINLY * usual || (perhaps && before) || fallen;
    before = perhaps && !kept;
    return kept;
  }

  private static boolean hasFallen(double sample, double from, double usual) {
    return sample < FELL * from && sample < COLD * usual;
  }
}
