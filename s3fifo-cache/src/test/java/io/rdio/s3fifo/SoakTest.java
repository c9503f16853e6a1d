// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.s3fifo.policy.S3FifoOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loads, evictions, deletions and overwrites at once; then everything must add up. */
@Timeout(120)
class SoakTest {
  private static final int THREADS = 6;
  private static final int OPERATIONS = 250_000;

  @ParameterizedTest
  @CsvSource({
    "1, 4, false",
    "3, 8, false",
    "20, 40, false",
    "500, 700, false",
    "5000, 20000, false",
    "5000, 20000, true"
  })
  void queuesMapAndWeightsAgreeAndEveryValueWasFreedOnce(int maximum, int keys, boolean adaptive)
      throws Exception {
    Cache<Integer, Tracked> cache =
        S3Fifo.newBuilder()
            .maximumWeight(maximum)
            .weigher((Integer key, Tracked value) -> value.weight)
            .removalListener((Integer key, Tracked value, RemovalCause cause) -> value.free())
            .options(adaptive ? S3FifoOptions.ADAPTIVE : S3FifoOptions.PAPER)
            .build();
    List<Tracked> all = new ArrayList<>();
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try {
      List<Callable<List<Tracked>>> workers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long seed = i;
        workers.add(() -> work(cache, keys, new SplittableRandom(seed)));
      }
      for (Future<List<Tracked>> done : executor.invokeAll(workers)) {
        all.addAll(done.get());
      }
    } finally {
      executor.shutdown();
    }
    assertAgreement(cache, maximum, all);
  }

  private static List<Tracked> work(
      Cache<Integer, Tracked> cache, int keys, SplittableRandom random) {
    List<Tracked> mine = new ArrayList<>();
    for (int i = 0; i < OPERATIONS; i++) {
      int key = (int) (keys * random.nextDouble() * random.nextDouble());
      switch (random.nextInt(16)) {
        case 0 -> cache.invalidate(key);
        case 1, 2 -> cache.put(key, tracked(mine, key, random));
        case 3 -> {
          Tracked fresh = tracked(mine, key, random);
          if (cache.asMap().putIfAbsent(key, fresh) != null) {
            fresh.free();
          }
        }
        case 4 -> {
          Tracked old = cache.getIfPresent(key);
          if (old != null) {
            cache.asMap().remove(key, old);
          }
        }
        case 5 -> {
          Tracked old = cache.getIfPresent(key);
          if (old != null) {
            Tracked fresh = tracked(mine, key, random);
            if (!cache.asMap().replace(key, old, fresh)) {
              fresh.free();
            }
          }
        }
        default -> {
          Tracked value = cache.get(key, k -> tracked(mine, k, random));
          assertThat(value.key).isEqualTo(key);
        }
      }
    }
    return mine;
  }

  private static Tracked tracked(List<Tracked> mine, int key, SplittableRandom random) {
    Tracked value = new Tracked(key, random.nextInt(3));
    mine.add(value);
    return value;
  }

  private static void assertAgreement(
      Cache<Integer, Tracked> cache, int maximum, List<Tracked> all) {
    var sizes = cache.policy().sizes();
    Map<Integer, Tracked> left = cache.asMap();
    long weight = 0;
    long weighing = 0;
    for (Tracked value : left.values()) {
      weight += value.weight;
      weighing += value.weight > 0 ? 1 : 0;
    }
    assertThat(cache.estimatedSize())
        .as("nodes in the table")
        .isEqualTo(left.entrySet().stream().count());
    assertThat(sizes.totalWeight()).isEqualTo(weight).isLessThanOrEqualTo(maximum);
    assertThat(sizes.smallEntries() + sizes.mainEntries()).isGreaterThanOrEqualTo(weighing);
    assertThat(sizes.ghostEntries()).isLessThanOrEqualTo(maximum);
    int live = 0;
    for (Tracked value : all) {
      boolean present = left.get(value.key) == value;
      live += present ? 1 : 0;
      int expected = present ? 0 : 1;
      if (value.freed.get() != expected) {
        assertThat(value.freed).as("%s, present: %s", value, present).hasValue(expected);
      }
    }
    assertThat(live).isEqualTo(left.size());
    cache.invalidateAll();
    assertThat(all).allMatch(value -> value.freed.get() == 1);
    assertThat(cache.policy().sizes().totalWeight()).isZero();
    assertThat(cache.estimatedSize()).isZero();
  }
}
