// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.util.Locale;

/** The outcome of one policy on one trace at one cache size. */
record Result(String trace, String policy, int cacheObjects, int misses, int requests) {
  static final String CSV_HEADING = "trace,policy,cache_objects,miss_ratio,requests";

  double missRatio() {
    return (double) misses / requests;
  }

  String csv() {
    return String.format(
        Locale.ROOT, "%s,%s,%d,%.6f,%d", trace, policy, cacheObjects, missRatio(), requests);
  }
}
