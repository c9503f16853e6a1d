// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.s3fifo.policy.Traces;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The concurrent cache on whole traces: the same misses as the reference, or nearly, with threads.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TraceTest {
  private static final List<String> NAMES =
      List.of("c2k-web07", "c2k-web12", "zipf0.99-s", "zipfscan-s", "twohitwarm-s", "shift-s");

  /** Made once for each name. */
  private final Map<String, long[]> ids = new HashMap<>();

  private long[] ids(String name) {
    return ids.computeIfAbsent(name, any -> Traces.ids(any).orElseThrow());
  }

  Stream<Arguments> rows() {
    return Traces.csv("exact.csv").stream()
        .filter(row -> NAMES.contains(row[0]))
        .filter(row -> Integer.parseInt(row[2]) >= 100)
        .map(row -> Arguments.of(row[0], Integer.parseInt(row[2]), Integer.parseInt(row[3])));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"c2k-web07", "c2k-web12", "zipf0.99-s", "zipfscan-s", "twohitwarm-s", "shift-s"})
  void oneThreadMissesExactlyAsTheReference(String name) {
    long[] ids = ids(name);
    for (String[] row : Traces.csv("exact.csv")) {
      if (row[0].equals(name)) {
        Cache<Long, Long> cache =
            S3Fifo.newBuilder().maximumSize(Long.parseLong(row[2])).recordStats().build();
        for (long id : ids) {
          cache.get(id, key -> key);
        }
        assertThat(cache.stats().misses()).as("capacity %s", row[2]).isEqualTo(num(row[3]));
        assertThat(cache.stats().loads()).isEqualTo(num(row[3]));
        assertThat(cache.estimatedSize()).isLessThanOrEqualTo(num(row[2]));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void twoThreadsMissNearlyAsTheReference(String name, int capacity, int misses) throws Exception {
    assertNearReference(2, name, capacity, misses);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void moreThreadsMissNearlyAsTheReference(int threads) throws Exception {
    assertNearReference(threads, "c2k-web12", 1375, 26523);
    assertNearReference(threads, "zipf0.99-s", 635, 227753);
  }

  private void assertNearReference(int threads, String name, int capacity, int misses)
      throws Exception {
    long[] ids = ids(name);
    Cache<Long, Long> cache = S3Fifo.newBuilder().maximumSize(capacity).recordStats().build();
    AtomicInteger next = new AtomicInteger();
    Callable<Void> worker =
        () -> {
          for (int i = next.getAndIncrement(); i < ids.length; i = next.getAndIncrement()) {
            cache.get(ids[i], key -> key);
          }
          return null;
        };
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      for (Future<Void> done :
          executor.invokeAll(IntStream.range(0, threads).mapToObj(i -> worker).toList())) {
        done.get();
      }
    } finally {
      executor.shutdown();
    }
    cache.cleanUp();
    assertThat(cache.stats().missRatio()).isCloseTo((double) misses / ids.length, within(0.005));
    assertThat(cache.estimatedSize()).isLessThanOrEqualTo(capacity);
  }

  private static long num(String s) {
    return Long.parseLong(s);
  }
}
