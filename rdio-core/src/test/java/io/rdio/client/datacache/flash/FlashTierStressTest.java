// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Readers check every byte while regions are written again and blocks are dropped. */
class FlashTierStressTest {
  private static final int BLOCKS = 400;
  private static final int THREADS = 4;
  private static final int ROUNDS = 3_000;

  private final TierFixture flash = new TierFixture();

  @Test
  void everyByteIsTheChunks() throws Exception {
    flash.tier.start();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> workers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        SplittableRandom random = new SplittableRandom(i);
        workers.add(threads.submit(() -> work(random)));
      }
      int hits = 0;
      for (Future<Integer> worker : workers) {
        hits += worker.get(300, TimeUnit.SECONDS);
      }
      assertThat(hits).as("reads that found something").isPositive();
    } finally {
      threads.shutdownNow();
      flash.tier.close();
    }
    assertThat(flash.counters.dataCacheFlashChecksumFailures.sum()).isZero();
    assertThat(flash.counters.dataCacheFlashFailures.sum()).isZero();
  }

  /** Returns how many reads found something. */
  private int work(SplittableRandom random) {
    ByteBuffer bytes = TierFixture.memory();
    int hits = 0;
    for (int i = 0; i < ROUNDS; i++) {
      int id = random.nextInt(1 + random.nextInt(BLOCKS)); // some are read more than others
      int chunk = random.nextInt(4);
      int length = TierFixture.length(id, chunk);
      if (flash.tier.read(TierFixture.block(id), chunk, length, bytes)) {
        assertThat(TierFixture.isRight(id, chunk, bytes)).isTrue();
        hits++;
      } else {
        flash.offer(id, chunk);
      }
      if (random.nextInt(200) == 0) {
        flash.tier.drop(TierFixture.block(id), 0, 4);
      }
    }
    return hits;
  }
}
