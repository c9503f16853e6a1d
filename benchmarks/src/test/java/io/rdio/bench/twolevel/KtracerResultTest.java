// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.twolevel.KtracerResult.Counts;
import io.rdio.exclusive.eviction.EvictionTracer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code bench ktracer} sets and prints. */
class KtracerResultTest {
  @Test
  void aRowHasWhatWasCountedMeanwhile() {
    Counts warm = Counts.of(1_000, Map.of("evicted_bytes", 8192L, "runs", 2L));
    Counts end =
        Counts.of(
            2_000,
            Map.of(
                "evicted_bytes",
                8192L + 4 * 4096,
                "kernel_lost_pages",
                1L,
                "extent_misses",
                3L,
                "runs",
                7L,
                "sent_bytes",
                60L));
    KtracerResult result = new KtracerResult("w", "as it is", end.since(warm));
    assertThat(result.csv()).isEqualTo("w,as it is,4,1,250.0,3,5,60");
    assertThat(KtracerResult.CSV_HEADING.split(",", -1)).hasSameSizeAs(result.csv().split(",", -1));
  }

  @Test
  void withoutEvictionsThereIsNoCostOfOne() {
    assertThat(Counts.of(1_000, Map.of()).cpuNanosPerPage()).isNaN();
    assertThat(Counts.of(1_000, Map.of()).extentHitRatio()).isNaN();
  }

  @Test
  void hitsOfTheExtentCacheAreOfWhatItWasAskedFor() {
    Counts warm = Counts.of(0, Map.of("extent_hits", 100L, "extent_misses", 50L));
    Counts end = Counts.of(0, Map.of("extent_hits", 130L, "extent_misses", 60L));
    assertThat(end.since(warm).extentHitRatio()).isEqualTo(0.75);
  }

  @Test
  void variantsLeaveOutWhatTheirNamesSay() {
    EvictionTracer.Settings all = EvictionTracer.Settings.DEFAULT;
    assertThat(KtracerVariant.AS_IT_IS.settings()).isEqualTo(all);
    EvictionTracer.Settings lookups = KtracerVariant.WITHOUT_EXTENT_CACHE.settings();
    assertThat(lookups.extents()).isZero();
    assertThat(lookups.maxWaiting()).isEqualTo(all.maxWaiting());
    EvictionTracer.Settings parts = KtracerVariant.WITHOUT_BATCHING.settings();
    assertThat(parts.extents()).isEqualTo(all.extents());
    assertThat(parts.maxWaiting()).isZero();
    EvictionTracer.Settings none = KtracerVariant.WITHOUT_BOTH.settings();
    assertThat(none.extents() + none.maxWaiting()).isZero();
  }
}
