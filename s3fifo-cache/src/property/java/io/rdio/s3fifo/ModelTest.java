// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.s3fifo.policy.NaiveS3Fifo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Random operations on the cache and on a naive model of it. */
class ModelTest {

  @Provide
  Arbitrary<Integer> capacities() {
    return Arbitraries.oneOf(
        Arbitraries.of(1, 2, 3, 9, 10, 11, 19, 20), Arbitraries.integers().between(1, 64));
  }

  @Property(tries = 400)
  void holdsTheSameKeysAsTheModelAfterEveryOperation(
      @ForAll("capacities") int capacity,
      @ForAll @IntRange(min = 1, max = 3) int spread,
      @ForAll long seed) {
    Random random = new Random(seed);
    Cache<Integer, Integer> cache = S3Fifo.newBuilder().maximumSize(capacity).build();
    NaiveS3Fifo model = new NaiveS3Fifo(capacity, NaiveS3Fifo.Mutant.NONE);
    int keys = capacity * (1 + spread) + 1;
    for (int i = 0; i < 400; i++) {
      int key = (int) (keys * random.nextDouble() * random.nextDouble());
      switch (random.nextInt(10)) {
        case 0 -> {
          cache.invalidate(key);
          model.remove(key);
        }
        case 1, 2 -> {
          cache.put(key, i);
          model.request(key);
        }
        case 3 ->
            assertThat(cache.asMap().containsKey(key)).isEqualTo(model.resident().contains(key));
        default -> {
          boolean hit = cache.getIfPresent(key) != null;
          assertThat(model.resident().contains(key)).isEqualTo(hit);
          model.request(key);
          if (!hit) {
            cache.get(key, k -> k);
          }
        }
      }
      assertThat(cache.asMap().keySet()).isEqualTo(model.resident());
    }
    var sizes = cache.policy().sizes();
    assertThat(sizes.smallEntries() + sizes.mainEntries()).isEqualTo(model.resident().size());
  }

  @Property(tries = 400)
  void weightsAddUpAndEveryValueIsFreedOnce(
      @ForAll @IntRange(min = 0, max = 60) int maximum, @ForAll long seed) {
    Random random = new Random(seed);
    Cache<Integer, Tracked> cache =
        S3Fifo.newBuilder()
            .maximumWeight(maximum)
            .weigher((Integer key, Tracked value) -> value.weight)
            .removalListener((Integer key, Tracked value, RemovalCause cause) -> value.free())
            .build();
    List<Tracked> all = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      int key = random.nextInt(20);
      switch (random.nextInt(8)) {
        case 0 -> cache.invalidate(key);
        case 1 -> cache.policy().setMaximum(random.nextInt(61));
        case 2, 3, 4 -> cache.put(key, tracked(all, key, random));
        default -> cache.get(key, k -> tracked(all, k, random));
      }
      assertAgreement(cache);
    }
    Map<Integer, Tracked> left = new HashMap<>(cache.asMap());
    for (Tracked value : all) {
      assertThat(value.freed).as("%s", value).hasValue(left.get(value.key) == value ? 0 : 1);
    }
  }

  private static Tracked tracked(List<Tracked> all, int key, Random random) {
    // Weightless ones, light ones, and some heavier than the small queue or the whole cache.
    int weight = random.nextInt(6) == 0 ? random.nextInt(80) : random.nextInt(5);
    Tracked value = new Tracked(key, weight);
    all.add(value);
    return value;
  }

  private static void assertAgreement(Cache<Integer, Tracked> cache) {
    var sizes = cache.policy().sizes();
    long weight = cache.asMap().values().stream().mapToLong(value -> value.weight).sum();
    assertThat(sizes.totalWeight()).isEqualTo(weight);
    assertThat(weight).isLessThanOrEqualTo(cache.policy().getMaximum());
  }
}
