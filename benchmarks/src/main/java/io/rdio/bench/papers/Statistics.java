// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** How a value is spread over traces, as the S3-FIFO paper shows it. */
final class Statistics {
  static final String P10 = "P10";
  static final String MEDIAN = "median";
  static final String MEAN = "mean";
  static final String P90 = "P90";

  private static final Map<String, ToDoubleFunction<double[]>> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put(P10, sorted -> percentile(sorted, 10));
    BY_NAME.put("P25", sorted -> percentile(sorted, 25));
    BY_NAME.put(MEDIAN, sorted -> percentile(sorted, 50));
    BY_NAME.put(MEAN, sorted -> Arrays.stream(sorted).average().orElse(Double.NaN));
    BY_NAME.put("P75", sorted -> percentile(sorted, 75));
    BY_NAME.put(P90, sorted -> percentile(sorted, 90));
  }

  private Statistics() {}

  /** All statistics of these values, by name. */
  static Map<String, Double> of(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    Map<String, Double> all = new LinkedHashMap<>();
    BY_NAME.forEach((name, statistic) -> all.put(name, statistic.applyAsDouble(sorted)));
    return all;
  }

  /** The mean; NaN of none. */
  static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  /**
   * A percentile, interpolated between its neighbours as NumPy does it by default, by which the
   * paper's were computed.
   */
  private static double percentile(double[] sorted, int percent) {
    if (sorted.length == 0) {
      return Double.NaN;
    }
    double at = (sorted.length - 1) * percent / 100.0;
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (at - below);
  }
}
