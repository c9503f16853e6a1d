// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import io.rdio.s3fifo.S3Fifo;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the measured caches have in common: what is loaded for a key is the key itself, so that
 * loaders allocate nothing.
 */
public interface CacheUnderTest {

  /** Returns the value of a key, after loading it if it is not there. */
  Long get(Long key);

  /** Sets the value of a key. */
  void put(Long key, Long value);

  /** Lets background work finish. */
  default void cleanUp() {}

  /** Makes an empty cache. */
  static CacheUnderTest create(Kind kind, int capacity) {
    return switch (kind) {
      case S3FIFO -> new OfS3Fifo(capacity);
      case CAFFEINE -> new OfCaffeine(capacity);
      case GUAVA -> new OfGuava(capacity);
      case SYNC_LRU -> new OfSynchronizedLru(capacity);
    };
  }

  /** The caches that are compared. */
  enum Kind {
    S3FIFO,
    CAFFEINE,
    GUAVA,
    SYNC_LRU
  }

  /** This project's. */
  final class OfS3Fifo implements CacheUnderTest {
    private final io.rdio.s3fifo.Cache<Long, Long> cache;

    OfS3Fifo(int capacity) {
      cache = S3Fifo.newBuilder().maximumSize(capacity).build();
    }

    @Override
    public Long get(Long key) {
      Long value = cache.get(key, k -> k);
      return value == null ? key : value;
    }

    @Override
    public void put(Long key, Long value) {
      cache.put(key, value);
    }

    @Override
    public void cleanUp() {
      cache.cleanUp();
    }
  }

  /** Caffeine as it comes, with its maintenance in the common pool. */
  final class OfCaffeine implements CacheUnderTest {
    private final com.github.benmanes.caffeine.cache.Cache<Long, Long> cache;

    OfCaffeine(int capacity) {
      cache = Caffeine.newBuilder().maximumSize(capacity).build();
    }

    @Override
    public Long get(Long key) {
      return cache.get(key, k -> k);
    }

    @Override
    public void put(Long key, Long value) {
      cache.put(key, value);
    }

    @Override
    public void cleanUp() {
      cache.cleanUp();
    }
  }

  /** Guava. */
  final class OfGuava implements CacheUnderTest {
    private final com.google.common.cache.Cache<Long, Long> cache;

    OfGuava(int capacity) {
      cache = CacheBuilder.newBuilder().maximumSize(capacity).build();
    }

    @Override
    public Long get(Long key) {
      Long value = cache.getIfPresent(key);
      if (value == null) {
        cache.put(key, key);
        return key;
      }
      return value;
    }

    @Override
    public void put(Long key, Long value) {
      cache.put(key, value);
    }

    @Override
    public void cleanUp() {
      cache.cleanUp();
    }
  }

  /** The usual LRU of the JDK's own parts. */
  final class OfSynchronizedLru implements CacheUnderTest {
    private final Map<Long, Long> cache;

    OfSynchronizedLru(int capacity) {
      cache =
          Collections.synchronizedMap(
              new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
                  return size() > capacity;
                }
              });
    }

    @Override
    public Long get(Long key) {
      @Nullable Long value = cache.get(key);
      if (value == null) {
        cache.put(key, key);
        return key;
      }
      return value;
    }

    @Override
    public void put(Long key, Long value) {
      cache.put(key, value);
    }
  }
}
