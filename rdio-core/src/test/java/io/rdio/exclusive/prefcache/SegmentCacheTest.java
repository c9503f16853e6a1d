// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of BNEX one by one, with segments of eight blocks. */
class SegmentCacheTest {
  private static final int SEGMENT = 8;
  private static final int DEVICE = 3;

  private final List<String> told = new ArrayList<>();
  private final SegmentCache cache = cache(4, SegmentPolicy.FIFO, OnWrite.DROP);

  private SegmentCache cache(int segments, SegmentPolicy policy, OnWrite onWrite) {
    return new SegmentCache(
        SegmentGeometry.PAPER,
        segments * 32768L,
        SegmentCache.DROP_AT,
        policy,
        onWrite,
        new SegmentCache.Listener() {
          @Override
          public void prefetch(int device, long firstBlock, int blocks) {
            told.add("prefetch " + firstBlock + "+" + blocks);
          }

          @Override
          public void discard(int device, long firstBlock, int blocks) {
            told.add("discard " + firstBlock + "+" + blocks);
          }
        });
  }

  private static void fill(SegmentCache cache, long segment) {
    cache.evictedAtCompute(DEVICE, segment * SEGMENT, SEGMENT);
    cache.prefetched(DEVICE, segment * SEGMENT, SEGMENT);
  }

  @Test
  void onlyDescriptorsAdmit() {
    assertThat(cache.read(DEVICE, 0, SEGMENT)).isZero();
    assertThat(cache.written(DEVICE, 0, SEGMENT)).isZero();
    assertThat(cache.prefetched(DEVICE, 0, SEGMENT)).isZero();
    assertThat(told).isEmpty();
    assertThat(cache.counts().resident()).isZero();
  }

  @Test
  void aRunIsPrefetchedSegmentBySegmentAndOnce() {
    assertThat(cache.evictedAtCompute(DEVICE, 6, 12)).isEqualTo(12);
    assertThat(cache.evictedAtCompute(DEVICE, 7, 2)).isZero();
    assertThat(told).containsExactly("prefetch 6+2", "prefetch 8+8", "prefetch 16+2");
  }

  @Test
  void aBlockIsAHitOnce() {
    fill(cache, 1);
    assertThat(cache.read(DEVICE, 7, 3)).isEqualTo(2);
    assertThat(cache.read(DEVICE, 7, 3)).isZero();
    assertThat(cache.read(DEVICE + 1, 10, 1)).isZero();
    assertThat(cache.counts().retainedSegments()).isEqualTo(1);
  }

  @Test
  void aSegmentGoesWhenThreeQuartersOfItAreInvalid() {
    fill(cache, 0);
    cache.read(DEVICE, 0, 5);
    assertThat(cache.counts().resident()).isEqualTo(3);
    told.clear();
    cache.read(DEVICE, 6, 1);
    assertThat(told).containsExactly("discard 5+1", "discard 7+1");
    assertThat(cache.counts().segments()).isZero();
    assertThat(cache.counts().spentSegments()).isEqualTo(1);
    assertThat(cache.counts().wasted()).isEqualTo(2);
  }

  @Test
  void whatARunDidNotBringIsNotCountedAsInvalid() {
    cache.evictedAtCompute(DEVICE, 0, 2);
    cache.prefetched(DEVICE, 0, 2);
    cache.read(DEVICE, 0, 1);
    assertThat(cache.isValid(DEVICE, 1)).isTrue();
  }

  @Test
  void theSegmentAdmittedFirstGoesFirstWhetherItWasReadOrNot() {
    for (long segment = 0; segment < 4; segment++) {
      fill(cache, segment);
    }
    cache.evictedAtCompute(DEVICE, 0, SEGMENT);
    told.clear();
    fill(cache, 9);
    assertThat(told).containsExactly("discard 0+8", "prefetch 72+8");
    assertThat(cache.counts().evictedSegments()).isEqualTo(1);
  }

  @Test
  void whatWasReadMakesRoomAtOnce() {
    for (long segment = 0; segment < 4; segment++) {
      fill(cache, segment);
    }
    cache.read(DEVICE, 0, 4);
    cache.read(DEVICE, 8, 4);
    told.clear();
    fill(cache, 9);
    assertThat(told).containsExactly("prefetch 72+8");
  }

  @Test
  void aReadThatOvertakesThePrefetchIsAMissAndTheBytesAreNotWantedAnyMore() {
    cache.evictedAtCompute(DEVICE, 0, SEGMENT);
    assertThat(cache.read(DEVICE, 0, 2)).isZero();
    assertThat(cache.fetching(DEVICE, 0, SEGMENT)).isEqualTo(6);
    assertThat(cache.prefetched(DEVICE, 0, SEGMENT)).isEqualTo(6);
    assertThat(cache.isValid(DEVICE, 1)).isFalse();
    assertThat(cache.counts().late()).isEqualTo(2);
  }

  @Test
  void aWriteDropsWhatIsCachedOrLeavesItToTheStore() {
    fill(cache, 0);
    cache.evictedAtCompute(DEVICE, 8, 1);
    assertThat(cache.written(DEVICE, 0, 9)).isEqualTo(8);
    assertThat(cache.counts().resident()).isZero();
    assertThat(cache.prefetched(DEVICE, 8, 1)).isZero();

    SegmentCache updating = cache(4, SegmentPolicy.FIFO, OnWrite.UPDATE);
    fill(updating, 0);
    updating.evictedAtCompute(DEVICE, 8, 1);
    assertThat(updating.written(DEVICE, 0, 9)).isEqualTo(8);
    assertThat(updating.counts().resident()).isEqualTo(8);
    assertThat(updating.prefetched(DEVICE, 8, 1)).isZero();
  }

  @Test
  void aPrefetchThatFailedLeavesNoTraceInTheSegment() {
    cache.evictedAtCompute(DEVICE, 0, SEGMENT);
    cache.prefetched(DEVICE, 0, 2);
    cache.prefetchFailed(DEVICE, 0, SEGMENT);
    assertThat(cache.counts().givenUp()).isEqualTo(6);
    cache.read(DEVICE, 0, 1);
    assertThat(cache.isValid(DEVICE, 1)).isTrue();
    assertThat(cache.evictedAtCompute(DEVICE, 0, SEGMENT)).isEqualTo(7);
  }

  @Test
  void s3FifoKeepsSegmentsThatAreReadThroughAScanThatNobodyReads() {
    SegmentCache s3 = cache(100, SegmentPolicy.S3_FIFO, OnWrite.DROP);
    SegmentCache fifo = cache(100, SegmentPolicy.FIFO, OnWrite.DROP);
    for (SegmentCache each : List.of(s3, fifo)) {
      for (long segment = 0; segment < 50; segment++) {
        fill(each, segment);
      }
      for (long segment = 0; segment < 50; segment++) {
        each.read(DEVICE, segment * SEGMENT, 1);
        each.read(DEVICE, segment * SEGMENT + 1, 1);
      }
      for (long segment = 1000; segment < 1500; segment++) {
        fill(each, segment);
      }
    }
    assertThat(s3.read(DEVICE, 0, 50 * SEGMENT)).isEqualTo(50 * (SEGMENT - 2));
    assertThat(fifo.read(DEVICE, 0, 50 * SEGMENT)).isZero();
  }

  @Test
  void addressesThatNoDeviceHasAreRefused() {
    assertThatThrownBy(() -> cache.evictedAtCompute(-1, 0, 1))
        .hasMessageContaining("device -1 is not 0 to 65535");
    assertThatThrownBy(() -> cache.evictedAtCompute(0, -1, 1))
        .hasMessageContaining("1 blocks from -1 on");
    assertThatThrownBy(() -> cache.evictedAtCompute(0, Long.MAX_VALUE, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SegmentGeometry(4096, 128 * 4096))
        .hasMessageContaining("1 to 64 blocks of 4096");
    assertThatThrownBy(() -> cache(0, SegmentPolicy.FIFO, OnWrite.DROP))
        .hasMessageContaining("does not hold one segment of 32768");
  }
}
