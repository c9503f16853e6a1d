// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openjdk.jol.info.GraphLayout;

/** What a segment takes of the heap, with everything that is kept for it. */
class SegmentMemoryTest {
  @ParameterizedTest
  @CsvSource({"FIFO, 72", "S3_FIFO, 104"})
  void aSegmentTakesAtMost(SegmentPolicy policy, long most) {
    int full = 100_000;
    SegmentCache cache =
        new SegmentCache(
            SegmentGeometry.PAPER,
            full * 32768L,
            SegmentCache.DROP_AT,
            policy,
            OnWrite.DROP,
            new SegmentCache.Listener() {
              @Override
              public void prefetch(int device, long firstBlock, int blocks) {}

              @Override
              public void discard(int device, long firstBlock, int blocks) {}
            });
    long worst = 0;
    for (int segment = 0; segment < 3 * full; segment++) {
      cache.evictedAtCompute(0, segment * 8L, 8);
      if (segment % 25_000 == 24_999) {
        long bytes = GraphLayout.parseInstance(cache).totalSize();
        worst = Math.max(worst, bytes / cache.counts().segments());
      }
    }
    assertThat(cache.counts().segments()).isEqualTo(full);
    assertThat(worst).isLessThanOrEqualTo(most);
  }
}
