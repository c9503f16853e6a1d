// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Test;

/** The cache as a concurrent map, on its own and with its listeners. */
class MapViewTest {
  private final List<String> removed = new ArrayList<>();
  private final Cache<Integer, String> cache =
      S3Fifo.newBuilder()
          .maximumSize(100)
          .recordStats()
          .removalListener(
              (Integer key, String value, RemovalCause cause) -> removed.add(value + " " + cause))
          .build();
  private final ConcurrentMap<Integer, String> map = cache.asMap();

  @Test
  void readsAndWritesThrough() {
    assertThat(map.put(1, "a")).isNull();
    assertThat(map.put(1, "b")).isEqualTo("a");
    assertThat(map.putIfAbsent(1, "c")).isEqualTo("b");
    assertThat(map.putIfAbsent(2, "d")).isNull();
    assertThat(cache.getIfPresent(1)).isEqualTo("b");
    assertThat(map.get(2)).isEqualTo("d");
    assertThat(map.getOrDefault(3, "none")).isEqualTo("none");
    assertThat(map.containsKey(2)).isTrue();
    assertThat(map.containsKey(3)).isFalse();
    assertThat(map.containsValue("d")).isTrue();
    assertThat(map).hasSize(2).isEqualTo(Map.of(1, "b", 2, "d"));
    assertThat(removed).containsExactly("a REPLACED");
  }

  @Test
  void replacesAndRemovesConditionally() {
    map.put(1, "a");
    assertThat(map.replace(1, "x", "b")).isFalse();
    assertThat(map.replace(1, "a", "b")).isTrue();
    assertThat(map.replace(1, "c")).isEqualTo("b");
    assertThat(map.replace(2, "c")).isNull();
    assertThat(map.remove(1, "x")).isFalse();
    assertThat(map.remove(1, null)).isFalse();
    assertThat(map.remove(1, "c")).isTrue();
    assertThat(map.remove(1)).isNull();
    assertThat(removed).containsExactly("a REPLACED", "b REPLACED", "c EXPLICIT");
    assertThat(cache.policy().sizes().totalWeight()).isZero();
  }

  @Test
  void computes() {
    assertThat(map.computeIfAbsent(1, key -> "a")).isEqualTo("a");
    assertThat(map.computeIfAbsent(1, key -> "b")).isEqualTo("a");
    assertThat(map.computeIfPresent(1, (key, value) -> value + "b")).isEqualTo("ab");
    assertThat(map.computeIfPresent(2, (key, value) -> "never")).isNull();
    assertThat(map.merge(1, "c", String::concat)).isEqualTo("abc");
    assertThat(map.compute(1, (key, value) -> null)).isNull();
    assertThat(map).isEmpty();
    assertThat(removed).containsExactly("a REPLACED", "ab REPLACED", "abc EXPLICIT");
  }

  @Test
  void iteratesRemovesAndSetsThroughIterators() {
    map.put(1, "a");
    map.put(2, "b");
    map.put(3, "c");
    for (Map.Entry<Integer, String> entry : map.entrySet()) {
      entry.setValue(entry.getValue() + entry.getKey());
    }
    assertThat(map).isEqualTo(Map.of(1, "a1", 2, "b2", 3, "c3"));
    map.keySet().remove(2);
    map.values().remove("a1");
    assertThat(map.entrySet().remove(Map.entry(3, "other"))).isFalse();
    assertThat(map.entrySet()).contains(Map.entry(3, "c3")).hasSize(1);
    Iterator<Integer> keys = map.keySet().iterator();
    assertThatThrownBy(keys::remove).isInstanceOf(IllegalStateException.class);
    keys.next();
    keys.remove();
    assertThatThrownBy(keys::next).isInstanceOf(NoSuchElementException.class);
    assertThat(map).isEmpty();
  }

  @Test
  void clears() {
    map.put(1, "a");
    map.put(2, "b");
    map.clear();
    assertThat(map).isEmpty();
    assertThat(removed).containsExactlyInAnyOrder("a EXPLICIT", "b EXPLICIT");
  }

  @Test
  void passesOverLoadsUnderWay() {
    cache.get(
        1,
        key -> {
          assertThat(map.containsKey(1)).isFalse();
          assertThat(map.entrySet().iterator().hasNext()).isFalse();
          assertThat(map.putIfAbsent(1, "put")).isNull();
          return "loaded";
        });
    assertThat(map).isEqualTo(Map.of(1, "put"));
  }

  @Test
  void doesNotCountReadsInTheStatistics() {
    map.put(1, "a");
    map.get(1);
    map.get(2);
    assertThat(cache.stats().hits()).isZero();
    assertThat(cache.stats().misses()).isZero();
  }
}
