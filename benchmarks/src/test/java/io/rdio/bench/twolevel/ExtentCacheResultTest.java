// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.twolevel.KtracerCosts.Costs;
import io.rdio.bench.twolevel.KtracerResult.Counts;
import io.rdio.exclusive.eviction.EvictionTracer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code bench extent-cache} sets and prints. */
class ExtentCacheResultTest {
  @Test
  void aRowHasTheColumnsOfTheHeading() {
    Counts counts =
        Counts.of(
            9_000,
            Map.of(
                "evicted_bytes",
                4L * 4096,
                "kernel_lost_pages",
                2L,
                "extent_hits",
                3L,
                "extent_misses",
                1L));
    Costs costs = new Costs(counts, new Footprint(5_000, 6_000));
    ExtentCacheResult result = new ExtentCacheResult("w", 2048, costs);
    assertThat(result.csv()).isEqualTo("w,2048,0.7500,4,2,1,2250.0,5000,6000");
    assertThat(ExtentCacheResult.CSV_HEADING.split(",", -1))
        .hasSameSizeAs(result.csv().split(",", -1));
  }

  @Test
  void onlyTheExtentCacheIsAnotherThanInProduction() {
    EvictionTracer.Settings all = EvictionTracer.Settings.DEFAULT;
    assertThat(ExtentCacheCommand.settings(all.extents())).isEqualTo(all);
    assertThat(ExtentCacheCommand.settings(7).extents()).isEqualTo(7);
    assertThat(ExtentCacheCommand.settings(7)).isNotEqualTo(all);
  }
}
