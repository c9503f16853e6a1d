// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RangeLocksTest {
  private static final int BLOCKS = 64;
  private static final int THREADS = 6;
  private static final int ROUNDS = 3000;

  private final RangeLocks locks = new RangeLocks();

  @Test
  void noBlockIsLockedByTwo() throws Exception {
    AtomicIntegerArray holders = new AtomicIntegerArray(2 * BLOCKS);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Integer>> results = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(t);
      results.add(threads.submit(() -> lockAtRandom(random, holders)));
    }
    for (Future<Integer> result : results) {
      assertThat(result.get()).as("blocks that somebody else had locked too").isZero();
    }
    threads.shutdown();
  }

  private int lockAtRandom(Random random, AtomicIntegerArray holders) throws Exception {
    int shared = 0;
    for (int i = 0; i < ROUNDS; i++) {
      int device = random.nextInt(2);
      int first = random.nextInt(BLOCKS);
      int count = 1 + random.nextInt(Math.min(12, BLOCKS - first));
      shared +=
          locks.lock(
              device,
              first,
              count,
              () -> {
                int others = 0;
                for (int block = first; block < first + count; block++) {
                  others += holders.getAndIncrement(device * BLOCKS + block);
                }
                LockSupport.parkNanos(1);
                for (int block = first; block < first + count; block++) {
                  holders.getAndDecrement(device * BLOCKS + block);
                }
                return others;
              });
    }
    return shared;
  }

  @Test
  void neighboursAndOtherDevicesNeedNotWait() throws Exception {
    locks.lock(
        0,
        10,
        10,
        () ->
            locks.lock(
                0, 20, 1, () -> locks.lock(0, 9, 1, () -> locks.lock(1, 10, 10, () -> true))));
  }

  @Test
  void whoWaitsGoesOnWhenTheRangeIsFreeAlsoAfterAFailure() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<?> failing =
        thread.submit(
            () ->
                locks.lock(
                    0,
                    0,
                    8,
                    () -> {
                      inside.countDown();
                      leave.await();
                      throw new IllegalStateException("on purpose");
                    }));
    assertThat(inside.await(60, TimeUnit.SECONDS)).isTrue();
    ExecutorService other = Executors.newSingleThreadExecutor();
    Future<Boolean> waiting = other.submit(() -> locks.lock(0, 7, 1, () -> true));
    assertThat(waiting.isDone()).isFalse();
    leave.countDown();
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(failing).failsWithin(java.time.Duration.ofSeconds(60));
    thread.shutdown();
    other.shutdown();
  }
}
