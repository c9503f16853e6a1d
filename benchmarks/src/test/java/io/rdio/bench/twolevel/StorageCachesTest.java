// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** Each policy of level 2, on traces worked out by hand. */
class StorageCachesTest {
  private static final int CHUNK = DmCache.CHUNK_BLOCKS;

  private static StorageCache cache(String policy, int capacity) {
    return StorageCaches.create(policy, 256, capacity);
  }

  @Test
  void vanillaHasNothing() {
    StorageCache cache = cache("Vanilla", 100);
    cache.evicted(0, 8);
    assertThat(cache.read(0, 8)).isZero();
    assertThat(cache.read(0, 8)).isZero();
    assertThat(cache.extraNetworkBytes()).isZero();
  }

  @Test
  void inclKeepsWhatWasReadLast() {
    StorageCache cache = cache("Incl", 3);
    assertThat(cache.read(0, 3)).isZero();
    assertThat(cache.read(0, 1)).isEqualTo(1); // The order is now 1, 2, 0.
    assertThat(cache.read(3, 1)).isZero();
    assertThat(cache.read(1, 1)).isZero(); // 1 had left, 2 leaves.
    assertThat(cache.read(0, 1)).isEqualTo(1);
    assertThat(cache.read(2, 1)).isZero();
    cache.evicted(9, 1);
    assertThat(cache.read(9, 1)).isZero();
    assertThat(cache.extraNetworkBytes()).isZero();
  }

  @Test
  void demoteKeepsWhatWasSentUntilItIsRead() {
    StorageCache cache = cache("DEMOTE", 2);
    assertThat(cache.read(0, 2)).isZero();
    assertThat(cache.read(0, 2)).as("a read brings nothing here").isZero();
    cache.evicted(0, 3); // 0 leaves.
    assertThat(cache.read(0, 3)).isEqualTo(2);
    assertThat(cache.read(0, 3)).isZero();
    assertThat(cache.extraNetworkBytes()).isEqualTo(64 + 3 * 4096);
  }

  @Test
  void dmCachePromotesAChunkThatIsMissedAgainSoon() {
    StorageCache cache = cache("DM-Cache", 2 * CHUNK);
    assertThat(cache.read(0, 1)).isZero();
    assertThat(cache.read(1, 1)).isZero(); // Promotes chunk 0.
    assertThat(cache.read(0, CHUNK)).isEqualTo(CHUNK);
    assertThat(cache.extraNetworkBytes()).isEqualTo(2 * 32768);
    // Three others in between, where two are remembered: not again soon.
    cache.read(CHUNK, 1);
    cache.read(2 * CHUNK, 1);
    cache.read(3 * CHUNK, 1);
    cache.read(CHUNK, 1);
    assertThat(cache.read(CHUNK, 1)).isZero(); // Promoted only now.
    assertThat(cache.read(CHUNK, 1)).isEqualTo(1);
    assertThat(cache.extraNetworkBytes()).isEqualTo(4 * 32768);
  }

  @Test
  void dmCacheLetsTheLeastPopularGo() {
    StorageCache cache = cache("DM-Cache", 2 * CHUNK);
    for (int i = 0; i < 5; i++) {
      cache.read(0, 1);
    }
    cache.read(CHUNK, 1);
    cache.read(CHUNK, 1);
    cache.read(2 * CHUNK, 1);
    cache.read(2 * CHUNK, 1); // Takes the place of chunk 1, read twice, not of chunk 0.
    assertThat(cache.read(0, 1)).isEqualTo(1);
    assertThat(cache.read(2 * CHUNK, 1)).isEqualTo(1);
    assertThat(cache.read(CHUNK, 1)).isZero();
  }

  @Test
  void dmCacheServesAReadOfSeveralChunksInParts() {
    StorageCache cache = cache("DM-Cache", 2 * CHUNK);
    cache.read(CHUNK, 1);
    cache.read(CHUNK, 1);
    assertThat(cache.read(CHUNK - 3, CHUNK)).isEqualTo(CHUNK - 3);
  }

  @Test
  void bnexPrefetchesWhatWasEvictedAndTossesWhatIsRead() {
    for (String policy : new String[] {"BNEX", "BNEX-S3-FIFO"}) {
      StorageCache cache = cache(policy, 16);
      assertThat(cache.read(0, 8)).isZero();
      assertThat(cache.read(0, 8)).as("a read brings nothing here").isZero();
      cache.evicted(0, 8); // A whole segment, told before the next read is answered.
      assertThat(cache.read(0, 2)).isEqualTo(2);
      assertThat(cache.prefetched()).isEqualTo(8);
      assertThat(cache.unreadPrefetches()).isEqualTo(6);
      assertThat(cache.read(0, 8)).as("what was read is not here any more").isEqualTo(6);
      assertThat(cache.read(0, 8)).isZero();
      assertThat(cache.unreadPrefetches()).isZero();
      assertThat(cache.extraNetworkBytes()).isBetween(15L, 24L);
    }
  }

  @Test
  void bnexLetsTheFirstSegmentGo() {
    StorageCache cache = cache("BNEX", 16);
    cache.evicted(0, 24);
    assertThat(cache.read(0, 8)).isZero();
    assertThat(cache.read(8, 16)).isEqualTo(16);
  }

  @Test
  void bnexHasBlocksWaitForTheirNeighbours() {
    // Level 1 has 16384 blocks and is new once a minute: 3.7 ms for each block that is read.
    StorageCache cache = StorageCaches.create("BNEX", 65_536, 16);
    cache.evicted(3, 1);
    cache.read(1000, 20);
    assertThat(cache.read(3, 1)).as("waits").isZero();
    cache.read(2000, 60);
    assertThat(cache.read(3, 1)).as("was told as it is").isEqualTo(1);
  }

  @Test
  void findsPoliciesInAnyCase() {
    assertThat(StorageCaches.canonicalName(" bnex-s3-fifo")).isEqualTo("BNEX-S3-FIFO");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StorageCaches.canonicalName("PROMOTE"))
        .withMessageContaining("Vanilla, Incl, DEMOTE");
  }
}
