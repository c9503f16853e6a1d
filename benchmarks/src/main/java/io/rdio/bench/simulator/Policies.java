// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.s3fifo.policy.S3FifoOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The policies by name. */
public final class Policies {
  /** Makes an empty cache of so many objects for the requests of a trace. */
  @FunctionalInterface
  public interface Factory {
    Policy create(int capacity, Trace trace);
  }

  private static final Map<String, Factory> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("FIFO", Queues::fifo);
    BY_NAME.put("LRU", Queues::lru);
    BY_NAME.put("CLOCK", Queues.Clock::new);
    BY_NAME.put("SIEVE", Queues.Sieve::new);
    BY_NAME.put("2Q", TwoQueue::new);
    BY_NAME.put("ARC", Arc::new);
    BY_NAME.put("LIRS", Lirs::new);
    BY_NAME.put("W-TinyLFU", Policies::caffeine);
    BY_NAME.put("S3-FIFO", (c, trace) -> new S3FifoSimulation(c, trace, S3FifoOptions.PAPER));
    BY_NAME.put("S3-FIFO-D", (c, trace) -> new S3FifoSimulation(c, trace, S3FifoOptions.ADAPTIVE));
    BY_NAME.put(
        "S3-FIFO-W", (c, trace) -> new S3FifoSimulation(c, trace, S3FifoOptions.CORRELATED));
    BY_NAME.put("Belady", Belady::new);
  }

  private Policies() {}

  /** Returns all names. */
  public static List<String> names() {
    return List.copyOf(BY_NAME.keySet());
  }

  /**
   * Returns the name as it is written here, given it in any case and without its hyphens or with
   * them.
   *
   * @throws IllegalArgumentException if there is no such policy
   */
  public static String canonicalName(String name) {
    return BY_NAME.keySet().stream()
        .filter(known -> simplified(known).equals(simplified(name)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no policy \""
                        + name
                        + "\"; there are "
                        + String.join(", ", names())));
  }

  /** Makes a cache with the policy of that canonical name. */
  public static Policy create(String name, int capacity, Trace trace) {
    return Objects.requireNonNull(BY_NAME.get(name), name).create(capacity, trace);
  }

  /** Makes a cache with S3-FIFO of these options. */
  public static Policy s3Fifo(int capacity, Trace trace, S3FifoOptions options) {
    return new S3FifoSimulation(capacity, trace, options);
  }

  private static String simplified(String name) {
    return name.strip().toLowerCase(Locale.ROOT).replace("-", "");
  }

  /** Caffeine itself; its maintenance runs in the thread that requests, so that results repeat. */
  private static Policy caffeine(int capacity, Trace trace) {
    Cache<Integer, Integer> cache =
        Caffeine.newBuilder()
            .initialCapacity(capacity)
            .maximumSize(capacity)
            .executor(Runnable::run)
            .build();
    return object -> {
      if (cache.getIfPresent(object) != null) {
        return true;
      }
      cache.put(object, object);
      return false;
    };
  }
}
