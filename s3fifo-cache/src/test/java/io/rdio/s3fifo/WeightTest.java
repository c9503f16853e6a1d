// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cache bounded by weight; the weight of a value is its number. */
class WeightTest {
  private final List<Integer> evicted = new ArrayList<>();

  private Cache<String, Integer> cache(long maximum) {
    return S3Fifo.newBuilder()
        .maximumWeight(maximum)
        .weigher((String key, Integer value) -> value)
        .evictionListener((String key, Integer value, RemovalCause cause) -> evicted.add(value))
        .build();
  }

  @Test
  void neverHoldsMoreThanItsMaximum() {
    Cache<String, Integer> cache = cache(100);
    assertThat(cache.policy().isWeighted()).isTrue();
    for (int i = 1; i <= 60; i++) {
      cache.put("k" + i, i);
      assertThat(weightIn(cache)).isLessThanOrEqualTo(100);
      assertThat(cache.policy().sizes().totalWeight()).isEqualTo(weightIn(cache));
    }
    assertThat(cache.stats().evictedWeight())
        .isEqualTo(evicted.stream().mapToLong(Integer::longValue).sum());
  }

  @Test
  void admitsAnEntryHeavierThanTheSmallQueue() {
    Cache<String, Integer> cache = cache(100);
    cache.put("heavy", 90);
    assertThat(cache.getIfPresent("heavy")).isEqualTo(90);
    cache.put("light", 10);
    assertThat(cache.asMap()).containsOnlyKeys("heavy", "light");
    cache.put("one more", 1);
    assertThat(evicted).containsExactly(90);
  }

  @Test
  void evictsAnEntryHeavierThanItselfAtOnceAndNothingElse() {
    Cache<String, Integer> cache = cache(100);
    cache.put("a", 50);
    cache.put("too heavy", 101);
    assertThat(cache.asMap()).containsOnlyKeys("a");
    assertThat(evicted).containsExactly(101);
    assertThat(cache.get("loaded", key -> 200)).isEqualTo(200);
    assertThat(cache.asMap()).containsOnlyKeys("a");
    assertThat(evicted).containsExactly(101, 200);
  }

  @Test
  void followsWeightsChangedByOverwriting() {
    Cache<String, Integer> cache = cache(100);
    cache.put("a", 10);
    cache.put("b", 10);
    cache.put("a", 70);
    assertThat(cache.policy().sizes().totalWeight()).isEqualTo(80);
    cache.put("a", 5);
    assertThat(cache.policy().sizes().totalWeight()).isEqualTo(15);
    cache.put("b", 96);
    assertThat(cache.policy().sizes().totalWeight()).isLessThanOrEqualTo(100);
    cache.put("b", 101);
    assertThat(cache.asMap()).doesNotContainKey("b");
    assertThat(cache.policy().sizes().totalWeight()).isEqualTo(weightIn(cache));
  }

  @Test
  void keepsWeightlessEntriesWhateverComes() {
    Cache<String, Integer> cache = cache(10);
    cache.put("free", 0);
    for (int i = 0; i < 100; i++) {
      cache.put("k" + i, 3);
    }
    assertThat(cache.getIfPresent("free")).isZero();
    assertThat(evicted).doesNotContain(0);
    cache.policy().setMaximum(0);
    assertThat(cache.asMap()).containsOnlyKeys("free");
  }

  @Test
  void countsAnEntryOnceWhoseWeightGoesToZeroAndBack() {
    Cache<String, Integer> cache = cache(10);
    cache.put("a", 4);
    cache.put("a", 0);
    cache.put("b", 8);
    cache.put("c", 8);
    assertThat(cache.getIfPresent("a")).isZero();
    cache.put("a", 2);
    cache.put("a", 0);
    cache.put("a", 1);
    var sizes = cache.policy().sizes();
    assertThat(sizes.smallEntries() + sizes.mainEntries()).isEqualTo(cache.asMap().size());
    assertThat(sizes.totalWeight()).isEqualTo(weightIn(cache));
    for (int i = 0; i < 20; i++) {
      cache.put("x" + i, 5);
    }
    assertThat(cache.policy().sizes().totalWeight()).isEqualTo(weightIn(cache));
  }

  @Test
  void refusesANegativeWeight() {
    Cache<String, Integer> cache = cache(10);
    assertThatThrownBy(() -> cache.put("a", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1")
        .hasMessageContaining("key a");
    assertThatThrownBy(() -> cache.get("a", key -> -2)).hasMessageContaining("-2");
    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.get("a", key -> 2)).isEqualTo(2);
  }

  private static long weightIn(Cache<String, Integer> cache) {
    return cache.asMap().values().stream().mapToLong(Integer::longValue).sum();
  }
}
