// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.datacache.flash.MemoryFlashFile;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.ManualClock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;

/** Readers check every byte while chunks are evicted, dropped and put into the same slots again. */
class BlockDataCacheStressTest {
  private static final int CHUNK = 4096;
  private static final int SLOTS = 32;
  private static final int BLOCKS = 12;
  private static final int THREADS = 6;
  private static final int ROUNDS = 4_000;

  private final ManualClock clock = new ManualClock();
  private final ClientCounters counters = new ClientCounters();
  private BlockDataCache cache = new BlockDataCache((long) SLOTS * CHUNK, CHUNK, clock, counters);

  @RepeatedTest(3)
  void everyByteIsTheBlocks() throws Exception {
    work();
  }

  @RepeatedTest(3)
  void everyByteIsTheBlocksAlsoOfTheFlashTier() throws Exception {
    FlashTier flash = new FlashTier(new MemoryFlashFile(FlashTier.MIN_BYTES), CHUNK, 7, counters);
    flash.start();
    cache = new BlockDataCache((long) SLOTS * CHUNK, CHUNK, clock, counters, flash);
    work();
    assertThat(counters.dataCacheFlashHits.sum()).isPositive();
    assertThat(counters.dataCacheFlashChecksumFailures.sum()).isZero();
    assertThat(counters.dataCacheFlashFailures.sum()).isZero();
    cache.close();
  }

  private void work() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Long>> workers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        SplittableRandom random = new SplittableRandom(i);
        workers.add(threads.submit(() -> work(random)));
      }
      long hits = 0;
      for (Future<Long> worker : workers) {
        hits += worker.get(120, TimeUnit.SECONDS);
      }
      assertThat(hits).as("reads that found something").isGreaterThan(ROUNDS / 4);
      assertThat(counters.dataCacheEvictions.sum()).isPositive();
    } finally {
      threads.shutdownNow();
    }
    for (int id = 0; id < BLOCKS; id++) {
      cache.drop(block(id).map(new Lease(1, 1, 0, 0)));
    }
    assertThat(cache.cachedBytes()).isZero();
    assertThat(cache.flashBytes()).isZero();
    assertThat(slotsLeft()).as("slots in the end").isEqualTo(SLOTS);
  }

  private static SeededBlock block(int id) {
    return new SeededBlock(id, 1000 + id, 5 * CHUNK + id);
  }

  /** Returns how many reads found something. */
  private long work(SplittableRandom random) {
    byte[] got = new byte[6 * CHUNK];
    ByteBuffer direct = ByteBuffer.allocateDirect(6 * CHUNK);
    long hits = 0;
    for (int i = 0; i < ROUNDS; i++) {
      // Some blocks are read more than others.
      SeededBlock block = block(random.nextInt(1 + random.nextInt(BLOCKS)));
      int from = random.nextInt((int) block.length());
      int count = 1 + random.nextInt((int) block.length() - from);
      Lease lease = new Lease(1, 1, clock.nanos(), clock.nanos() + 1_000_000);
      int done;
      if (random.nextBoolean()) {
        done = cache.read(block.map(lease), from, got, 0, count);
      } else {
        done = cache.read(block.map(lease), from, direct, 0, count);
        direct.get(0, got, 0, done);
      }
      assertThat(block.firstWrong(from, got, done)).isEqualTo(-1);
      hits += done > 0 ? 1 : 0;
      if (done == 0) {
        cache.insert(block.map(lease), 0, block.length(), block::copy);
      } else if (random.nextInt(20) == 0) {
        cache.drop(block.map(lease));
      }
      assertThat(cache.allocatedBytes()).isLessThanOrEqualTo((long) SLOTS * CHUNK);
    }
    return hits;
  }

  /** How many chunks fit in before one is evicted, and those that are kept spare. */
  private int slotsLeft() {
    SeededBlock filler = new SeededBlock(99, 1, (long) SLOTS * CHUNK);
    Lease lease = new Lease(1, 1, clock.nanos(), clock.nanos() + 1_000_000);
    cache.insert(filler.map(lease), 0, filler.length(), filler::copy);
    return (int) (cache.cachedBytes() / CHUNK) + 1;
  }
}
