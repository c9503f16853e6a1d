// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.util.Arrays;

/** The middle and the ends of what several rounds gave. All NaN if there was no round. */
public record Spread(double min, double median, double max) {
  private static final Spread NONE = new Spread(Double.NaN, Double.NaN, Double.NaN);

  /** Of these values, in any order; the median of an even number is the mean of the middle two. */
  public static Spread of(double... values) {
    if (values.length == 0) {
      return NONE;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(sorted[0], median, sorted[sorted.length - 1]);
  }
}
