// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.ManualClock;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Zipf-distributed positional reads over four times as much data as is cached, beside LRU. */
class HitRatioTest {
  private static final int CHUNK = 4096;
  private static final int SLOTS = 4096;
  private static final int CHUNKS = 4 * SLOTS;
  private static final int BLOCK_CHUNKS = 64;
  private static final int READS = 400_000;

  private final ManualClock clock = new ManualClock();
  private final ClientCounters counters = new ClientCounters();
  private final BlockDataCache cache =
      new BlockDataCache((long) SLOTS * CHUNK, CHUNK, clock, counters);
  private final Lease lease = new Lease(1, 1, clock.nanos(), clock.nanos() + 1_000_000);
  private final byte[] got = new byte[1];

  @ParameterizedTest
  @CsvSource({"0.7, 0.06, 0.3", "0.99, 0.025, 0.3"})
  void moreHitsThanLruForLessOfTheDevice(double exponent, double moreHits, double wholeReads) {
    int[] trace = zipf(exponent, new SplittableRandom(42));
    Map<Integer, Boolean> lru = lru();
    long lruHits = 0;
    long hits = 0;
    long whole = 0;
    for (int i = 0; i < READS; i++) {
      boolean warm = i >= READS / 2;
      boolean lruHit = lru.put(trace[i], true) != null;
      long hitsBefore = counters.dataCacheHits.sum();
      boolean readWhole = readThrough(trace[i]);
      if (warm) {
        lruHits += lruHit ? 1 : 0;
        hits += counters.dataCacheHits.sum() - hitsBefore;
        whole += readWhole ? 1 : 0;
      }
    }
    double warmReads = READS / 2.0;
    assertThat(hits / warmReads).isGreaterThan(lruHits / warmReads + moreHits);
    assertThat((double) whole).isLessThan(wholeReads * (warmReads - lruHits));
  }

  /** As a reader does it; whether the chunk was read whole. */
  private boolean readThrough(int chunk) {
    SeededBlock block = new SeededBlock(chunk / BLOCK_CHUNKS, 1001, (long) BLOCK_CHUNKS * CHUNK);
    long offset = (long) (chunk % BLOCK_CHUNKS) * CHUNK;
    if (cache.read(block.map(lease), offset, got, 0, 1) == 1
        || !cache.admits(block.key(), offset, offset + 1)) {
      return false;
    }
    cache.insert(block.map(lease), offset, offset + CHUNK, (from, to, at, count) -> count);
    return true;
  }

  private static Map<Integer, Boolean> lru() {
    return new LinkedHashMap<>(SLOTS, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
        return size() > SLOTS;
      }
    };
  }

  /** Chunk numbers; the popular ones are spread over all blocks. */
  private static int[] zipf(double exponent, SplittableRandom random) {
    double[] cumulative = new double[CHUNKS];
    double sum = 0;
    for (int rank = 0; rank < CHUNKS; rank++) {
      sum += Math.pow(rank + 1, -exponent);
      cumulative[rank] = sum;
    }
    int[] trace = new int[READS];
    for (int i = 0; i < READS; i++) {
      int found = Arrays.binarySearch(cumulative, random.nextDouble() * sum);
      int rank = Math.min(found < 0 ? -found - 1 : found, CHUNKS - 1);
      trace[i] = (int) (rank * 2654435761L % CHUNKS);
    }
    return trace;
  }
}
