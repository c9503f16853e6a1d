// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.s3fifo.policy.S3FifoOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a user of the cache sees, one thread. */
class CacheTest {
  private final List<String> removed = new ArrayList<>();
  private final List<String> evicted = new ArrayList<>();

  private Cache<Integer, String> cache(long maximum) {
    return S3Fifo.newBuilder()
        .maximumSize(maximum)
        .recordStats()
        .removalListener(
            (Integer key, String value, RemovalCause cause) ->
                removed.add(key + "=" + value + " " + cause))
        .evictionListener(
            (Integer key, String value, RemovalCause cause) ->
                evicted.add(key + "=" + value + " " + cause))
        .build();
  }

  @Test
  void holdsWhatWasPutUntilItIsInvalidated() {
    Cache<Integer, String> cache = cache(10);
    assertThat(cache.getIfPresent(1)).isNull();
    cache.put(1, "a");
    assertThat(cache.getIfPresent(1)).isEqualTo("a");
    cache.invalidate(1);
    cache.invalidate(1);
    assertThat(cache.getIfPresent(1)).isNull();
    assertThat(removed).containsExactly("1=a EXPLICIT");
    assertThat(evicted).isEmpty();
  }

  @Test
  void invalidatesTheKeysThatItIsToldAndNoOthers() {
    Cache<Integer, String> cache = cache(10);
    cache.putAll(Map.of(1, "a", 2, "b", 3, "c"));
    cache.invalidateAll(List.of(3, 4, 1, 3));
    assertThat(cache.asMap()).containsOnly(Map.entry(2, "b"));
    assertThat(removed).containsExactly("3=c EXPLICIT", "1=a EXPLICIT");
    cache.invalidateAll(List.of());
    assertThat(cache.asMap()).containsOnlyKeys(2);
  }

  @Test
  void invalidatesAllInWhicheverQueue() {
    Cache<Integer, String> cache = cache(10);
    for (int key = 0; key < 15; key++) {
      cache.put(key, "v");
      cache.getIfPresent(0);
      cache.getIfPresent(0);
    }
    Policy.QueueSizes before = cache.policy().sizes();
    assertThat(before.smallEntries()).isPositive();
    assertThat(before.mainEntries()).isPositive();
    List<String> held = cache.asMap().keySet().stream().map(key -> key + "=v EXPLICIT").toList();
    removed.clear();
    evicted.clear();

    cache.invalidateAll();

    assertThat(cache.asMap()).isEmpty();
    assertThat(cache.estimatedSize()).isZero();
    assertThat(cache.policy().sizes().totalWeight()).isZero();
    assertThat(removed).containsExactlyInAnyOrderElementsOf(held);
    assertThat(evicted).isEmpty();
    cache.put(20, "w");
    cache.invalidateAll();
    assertThat(removed).hasSize(held.size() + 1).endsWith("20=w EXPLICIT");
  }

  @Test
  void tellsOfAReplacedValueOnceAndOfTheSameValueNotAtAll() {
    Cache<Integer, String> cache = cache(10);
    String value = "a";
    cache.put(1, value);
    cache.put(1, value);
    assertThat(removed).isEmpty();
    cache.put(1, "b");
    assertThat(removed).containsExactly("1=a REPLACED");
    assertThat(cache.getIfPresent(1)).isEqualTo("b");
  }

  @Test
  void tellsBothListenersOfAnEviction() {
    Cache<Integer, String> cache = cache(1);
    cache.put(1, "a");
    cache.put(2, "b");
    assertThat(removed).containsExactly("1=a SIZE");
    assertThat(evicted).containsExactly("1=a SIZE");
    assertThat(cache.asMap()).containsOnly(Map.entry(2, "b"));
    assertThat(cache.stats().evictions()).isEqualTo(1);
  }

  @Test
  void ofMaximumZeroKeepsNothingAndTellsOfEveryValue() {
    Cache<Integer, String> cache = cache(0);
    assertThat(cache.get(1, key -> "a")).isEqualTo("a");
    cache.put(2, "b");
    assertThat(cache.asMap()).isEmpty();
    assertThat(removed).containsExactly("1=a SIZE", "2=b SIZE");
  }

  @Test
  void countsHitsMissesAndLoads() {
    Cache<Integer, String> cache = cache(10);
    cache.get(1, key -> "a");
    cache.get(1, key -> "b");
    cache.getIfPresent(2);
    cache.get(3, key -> null);
    CacheStats stats = cache.stats();
    assertThat(stats.hits()).isEqualTo(1);
    assertThat(stats.misses()).isEqualTo(3);
    assertThat(stats.loads()).isEqualTo(1);
    assertThat(stats.loadFailures()).isEqualTo(1);
    assertThat(stats.hitRatio()).isEqualTo(0.25);
    assertThat(stats.missRatio()).isEqualTo(0.75);
  }

  @Test
  void countsGhostHitsAndPutsWhatComesBackIntoMain() {
    Cache<Integer, String> cache = cache(10);
    for (int key = 0; key < 11; key++) {
      cache.put(key, "first");
    }
    assertThat(cache.getIfPresent(0)).isNull();
    assertThat(cache.policy().sizes().ghostEntries()).isEqualTo(1);
    cache.put(0, "again");
    assertThat(cache.stats().ghostHits()).isEqualTo(1);
    assertThat(cache.policy().sizes().mainEntries()).isEqualTo(1);
    assertThat(cache.policy().sizes().smallEntries()).isEqualTo(9);
  }

  @Test
  void getsAllAndLoadsWhatIsMissingInOneCall() {
    Cache<Integer, String> cache = cache(10);
    cache.put(1, "a");
    List<Set<Integer>> asked = new ArrayList<>();
    Map<Integer, String> all =
        cache.getAll(
            List.of(3, 1, 2, 3),
            missing -> {
              asked.add(Set.copyOf(missing));
              return Map.of(3, "c", 9, "extra");
            });
    assertThat(all).containsExactly(Map.entry(3, "c"), Map.entry(1, "a"));
    assertThat(asked).containsExactly(Set.of(2, 3));
    assertThat(cache.asMap()).containsOnlyKeys(1, 3, 9);
    assertThat(cache.getAllPresent(List.of(1, 2))).containsOnly(Map.entry(1, "a"));
    assertThat(cache.stats().loads()).isEqualTo(1);
    assertThat(cache.stats().hits()).isEqualTo(2);
    assertThat(cache.stats().misses()).isEqualTo(3);
  }

  /** Entries are iterated by the bins of their keys, which says how many bins there are. */
  @Test
  void hasATableOfItsInitialCapacityFromTheStart() {
    assertThat(iterated(S3Fifo.newBuilder().initialCapacity(1_000))).containsExactly(1, 32);
    assertThat(iterated(S3Fifo.newBuilder().initialCapacity(0))).containsExactly(32, 1);
  }

  private static List<Integer> iterated(S3Fifo<Object, Object> builder) {
    Cache<Integer, String> cache = builder.maximumSize(10).build();
    cache.put(32, "in the first bin of 32");
    cache.put(1, "in the second one");
    return List.copyOf(cache.asMap().keySet());
  }

  @Test
  void changesItsMaximumAtRunTime() {
    Cache<Integer, String> cache = cache(100);
    assertThat(cache.policy().isWeighted()).isFalse();
    for (int key = 0; key < 100; key++) {
      cache.put(key, "v");
    }
    cache.policy().setMaximum(10);
    assertThat(cache.policy().getMaximum()).isEqualTo(10);
    assertThat(cache.asMap()).hasSize(10);
    assertThat(cache.policy().sizes().ghostEntries()).isLessThanOrEqualTo(9);
    assertThat(removed).hasSize(90);
    cache.policy().setMaximum(50);
    for (int key = 200; key < 300; key++) {
      cache.put(key, "v");
    }
    assertThat(cache.asMap()).hasSize(50);
  }

  @Test
  void goesOnWhenAListenerThrows() {
    Cache<Integer, String> cache =
        S3Fifo.newBuilder()
            .maximumSize(1)
            .removalListener(
                (Integer key, String value, RemovalCause cause) -> {
                  removed.add(value);
                  throw new IllegalStateException("listener");
                })
            .build();
    cache.put(1, "a");
    cache.put(2, "b");
    cache.put(3, "c");
    assertThat(removed).containsExactly("a", "b");
    assertThat(cache.getIfPresent(3)).isEqualTo("c");
  }

  @Test
  void letsAListenerUseTheCache() {
    Map<Integer, Cache<Integer, String>> self = new HashMap<>();
    Cache<Integer, String> cache =
        S3Fifo.newBuilder()
            .maximumSize(2)
            .evictionListener(
                (Integer key, String value, RemovalCause cause) -> {
                  if (key < 100) {
                    self.get(0).put(key + 100, value);
                  }
                })
            .build();
    self.put(0, cache);
    for (int key = 0; key < 10; key++) {
      cache.put(key, "v");
    }
    assertThat(cache.asMap()).hasSize(2);
    assertThat(cache.policy().sizes().totalWeight()).isEqualTo(2);
  }

  @Test
  void refusesNullsAndWrongSettings() {
    Cache<Integer, String> cache = cache(10);
    assertThatThrownBy(() -> cache.put(null, "a")).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.put(1, null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> cache.getIfPresent(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> S3Fifo.newBuilder().build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no bound");
    assertThatThrownBy(() -> S3Fifo.newBuilder().maximumSize(1).maximumWeight(1).build())
        .hasMessageContaining("both set");
    assertThatThrownBy(() -> S3Fifo.newBuilder().maximumWeight(1).build())
        .hasMessageContaining("without a weigher");
    assertThatThrownBy(() -> S3Fifo.newBuilder().maximumSize(1).weigher((k, v) -> 1).build())
        .hasMessageContaining("call maximumWeight");
    assertThatThrownBy(() -> S3Fifo.newBuilder().maximumSize(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> S3Fifo.newBuilder().initialCapacity(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("initialCapacity is -2");
    assertThatThrownBy(() -> new S3FifoOptions(1.0, 0.9, false)).hasMessageContaining("smallRatio");
    assertThatThrownBy(() -> new S3FifoOptions(0.1, -1, false)).hasMessageContaining("ghostRatio");
    assertThatThrownBy(() -> new S3FifoOptions(0.1, 1, false, 1.1, 1))
        .hasMessageContaining("correlationWindow");
    assertThatThrownBy(() -> new S3FifoOptions(0.1, 1, false, 0, 4))
        .hasMessageContaining("hitsToPromote");
    assertThatThrownBy(() -> cache.policy().setMaximum(-5)).hasMessageContaining("-5");
  }
}
