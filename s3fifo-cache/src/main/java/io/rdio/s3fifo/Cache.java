// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A bounded map from keys to values, from which entries may vanish at any time to make room.
 *
 * <p>All methods are safe for use by any number of threads, and linearizable per key, given that an
 * eviction may come between any two of them. A read takes no lock. No user code (loader, weigher,
 * listener) is ever called with a lock of the cache held, so it may use the cache.
 *
 * <p>A value that was handed to the cache, by a caller or by a loader, is either in the cache or
 * has been told to the removal listener, once.
 *
 * @param <K> the keys; {@code equals} and {@code hashCode} decide; never null
 * @param <V> the values; never null
 */
public interface Cache<K, V> {

  /** Returns the value of {@code key}, or null if it is not in the cache. */
  @Nullable V getIfPresent(K key);

  /**
   * Returns the value of {@code key}, and if it has none, the one that {@code loader} returns,
   * which is put into the cache.
   *
   * <p>Of the threads that miss a key at the same time one runs its loader and the others wait for
   * it; threads that ask for other keys are not held up. If the loader returns null or throws,
   * nothing is cached, its caller gets the null or the exception, and each waiting thread tries
   * with its own loader.
   *
   * <p>The loader may use the cache, other loads included. If {@code key} is put meanwhile, that
   * value wins and is returned, and the loaded one goes to the removal listener as {@link
   * RemovalCause#REPLACED}. If it is invalidated meanwhile, the loaded value, which may be stale,
   * is returned but not cached, and goes to the removal listener as {@link RemovalCause#EXPLICIT}.
   *
   * @return null only if the loader returned null
   * @throws IllegalStateException if the loader, directly or by way of other threads' loads, waits
   *     for itself
   */
  @Nullable V get(K key, Function<? super K, ? extends @Nullable V> loader);

  /** Returns those of {@code keys} that are in the cache, with their values. */
  Map<K, V> getAllPresent(Iterable<? extends K> keys);

  /**
   * Returns the values of {@code keys}; those not in the cache are asked for in one call of {@code
   * loader} and put into the cache, with whatever else it returns.
   *
   * <p>Unlike {@link #get}, does not keep two threads from loading the same key at the same time.
   *
   * @param loader is given the keys that are missing; keys that it returns nothing for are not in
   *     the result
   * @return the entries found or loaded, in the order of {@code keys}; unmodifiable
   */
  Map<K, V> getAll(
      Iterable<? extends K> keys, Function<? super Set<K>, ? extends Map<K, V>> loader);

  /** Sets the value of {@code key}. */
  void put(K key, V value);

  /** Sets the values of all keys of {@code map}, one after the other. */
  void putAll(Map<? extends K, ? extends V> map);

  /** Removes {@code key}. A load of it that is under way will not be cached. */
  void invalidate(K key);

  /** Removes all of {@code keys}, one after the other. */
  void invalidateAll(Iterable<? extends K> keys);

  /** Removes every entry; one that is put at the same time may remain. */
  void invalidateAll();

  /** Returns the number of entries; loads under way may be counted. */
  long estimatedSize();

  /** Returns what was counted since the cache was built; see {@link S3Fifo#recordStats}. */
  CacheStats stats();

  /**
   * Returns the entries as a map that reads and writes through. Iterators are weakly consistent;
   * {@code compute}, {@code merge} and the like retry under contention, so their functions may be
   * called more than once, but {@code computeIfAbsent} is {@link #get}. Its reads are not in the
   * statistics.
   */
  ConcurrentMap<K, V> asMap();

  /** Returns a view of the eviction policy. */
  Policy policy();

  /**
   * Lets the eviction policy catch up with writes that found it busy. Never needed for correctness;
   * after it, and with no write under way, the bound holds exactly.
   */
  void cleanUp();
}
