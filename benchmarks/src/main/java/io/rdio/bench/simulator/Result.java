// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The outcome of one policy on one trace at one cache size. */
record Result(String trace, String policy, int cacheObjects, int misses, int requests) {
  private static final String CSV_HEADING = "trace,policy,cache_objects,miss_ratio,requests";

  /**
   * What heads {@link #csv}.
   *
   * @param against the policy that others are held against, if any
   */
  static String heading(@Nullable String against) {
    return against == null ? CSV_HEADING : CSV_HEADING + ",to_" + against;
  }

  double missRatio() {
    return (double) misses / requests;
  }

  String csv() {
    return String.format(
        Locale.ROOT, "%s,%s,%d,%.6f,%d", trace, policy, cacheObjects, missRatio(), requests);
  }

  /**
   * The same, and how many more misses it has than another policy; fewer are below zero.
   *
   * @param missesOfOther at the same size, more than 0
   */
  String csvAgainst(int missesOfOther) {
    double more = 100.0 * (misses - missesOfOther) / missesOfOther;
    return String.format(Locale.ROOT, "%s,%+.2f%%", csv(), more);
  }
}
