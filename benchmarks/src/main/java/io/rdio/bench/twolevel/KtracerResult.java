// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.Locale;
import java.util.Map;

/**
 * What KTracer took for one workload, after warming up.
 *
 * @param ktracer as it is, or what was left out
 */
record KtracerResult(String workload, String ktracer, Counts counts) {
  static final String CSV_HEADING =
      "workload,ktracer,evicted_pages,lost_pages,cpu_ns_per_page,fiemaps,runs,sent_bytes";

  /**
   * What was counted since it was started.
   *
   * @param cpuNanos of KTracer's own threads
   * @param pages that it was told to be evicted
   * @param lostPages that the kernel had no room to tell of
   * @param fiemaps windows of files that the Extent Cache did not have
   * @param extentHits windows that it had
   * @param runs of blocks that were made of evictions
   * @param sentBytes that told the storage node
   */
  record Counts(
      long cpuNanos,
      long pages,
      long lostPages,
      long fiemaps,
      long extentHits,
      long runs,
      long sentBytes) {
    /**
     * Of the counters by their names.
     *
     * @param counters of the kernel's part and of the tracer
     */
    static Counts of(long cpuNanos, Map<String, Long> counters) {
      return new Counts(
          cpuNanos,
          counters.getOrDefault("evicted_bytes", 0L) / Workload.BLOCK_BYTES,
          counters.getOrDefault("kernel_lost_pages", 0L),
          counters.getOrDefault("extent_misses", 0L),
          counters.getOrDefault("extent_hits", 0L),
          counters.getOrDefault("runs", 0L),
          counters.getOrDefault("sent_bytes", 0L));
    }

    Counts since(Counts before) {
      return new Counts(
          cpuNanos - before.cpuNanos,
          pages - before.pages,
          lostPages - before.lostPages,
          fiemaps - before.fiemaps,
          extentHits - before.extentHits,
          runs - before.runs,
          sentBytes - before.sentBytes);
    }

    /** NaN where nothing was evicted. */
    double cpuNanosPerPage() {
      return pages == 0 ? Double.NaN : (double) cpuNanos / pages;
    }

    /** What of the windows asked for the Extent Cache had; NaN where none was. */
    double extentHitRatio() {
      return (double) extentHits / (extentHits + fiemaps);
    }
  }

  String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%d,%.1f,%d,%d,%d",
        workload,
        ktracer,
        counts.pages,
        counts.lostPages,
        counts.cpuNanosPerPage(),
        counts.fiemaps,
        counts.runs,
        counts.sentBytes);
  }
}
