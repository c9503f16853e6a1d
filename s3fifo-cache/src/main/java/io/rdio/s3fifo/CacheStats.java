// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

/**
 * What a cache has counted since it was built. The numbers are read one after the other while the
 * cache goes on, so sums may be off by operations under way.
 *
 * @param hits lookups by {@code get}, {@code getIfPresent} and {@code getAll} that found a value
 * @param misses lookups that found none
 * @param loads loader calls that returned a value
 * @param loadFailures loader calls that returned null or threw
 * @param loadNanos time spent in loaders, in nanoseconds
 * @param evictions entries evicted; counted even without {@link S3Fifo#recordStats}
 * @param evictedWeight their weight; counted even without {@link S3Fifo#recordStats}
 * @param ghostHits insertions of an entry that the ghost queue remembered; counted even without
 *     {@link S3Fifo#recordStats}
 */
public record CacheStats(
    long hits,
    long misses,
    long loads,
    long loadFailures,
    long loadNanos,
    long evictions,
    long evictedWeight,
    long ghostHits) {

  /** Returns the share of lookups that found a value; 1 if there was none. */
  public double hitRatio() {
    return hits + misses == 0 ? 1.0 : (double) hits / (hits + misses);
  }

  /** Returns the share of lookups that found no value; 0 if there was none. */
  public double missRatio() {
    return hits + misses == 0 ? 0.0 : (double) misses / (hits + misses);
  }
}
