// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.Locale;

/**
 * What KTracer took with an Extent Cache of one size.
 *
 * @param extents bound of the Extent Cache; see {@code EvictionTracer.Settings}
 */
record ExtentCacheResult(String workload, long extents, KtracerCosts.Costs costs) {
  static final String CSV_HEADING =
      "workload,extents,hit_ratio,evicted_pages,lost_pages,fiemaps,cpu_ns_per_page,heap_bytes,"
          + "bpf_map_bytes";

  String csv() {
    KtracerResult.Counts counts = costs.counts();
    return String.format(
        Locale.ROOT,
        "%s,%d,%.4f,%d,%d,%d,%.1f,%d,%d",
        workload,
        extents,
        counts.extentHitRatio(),
        counts.pages(),
        counts.lostPages(),
        counts.fiemaps(),
        counts.cpuNanosPerPage(),
        costs.memory().heapBytes(),
        costs.memory().mapBytes());
  }
}
