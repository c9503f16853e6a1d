// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.twolevel.TwoLevels.Counts;
import java.util.Locale;

/**
 * The outcome of one policy on one workload at one size.
 *
 * @param fraction the storage cache's size, of what of the data set does not fit into level 1
 * @param counts after warming up
 */
public record TwoLevelResult(String workload, String policy, double fraction, Counts counts) {
  /** Names the columns of {@link #csv}. */
  public static final String CSV_HEADING =
      "workload,policy,storage_cache_fraction,level2_hit_ratio,network_bytes,prefetch_waste";

  /** Blocks that level 2 had in memory when it was asked for them, of all it was asked for. */
  double hitRatio() {
    return counts.asked() == 0 ? 0 : (double) counts.hits() / counts.asked();
  }

  /** Prefetched blocks that were never hit, of all that were prefetched; 0 if none was. */
  double prefetchWaste() {
    return counts.prefetched() == 0 ? 0 : (double) counts.unreadPrefetches() / counts.prefetched();
  }

  /** One row of comma-separated values. */
  public String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%s,%.2f,%.4f,%d,%.4f",
        workload,
        policy,
        fraction,
        hitRatio(),
        counts.networkBytes(),
        prefetchWaste());
  }
}
