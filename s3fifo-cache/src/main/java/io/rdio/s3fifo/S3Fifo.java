// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import io.rdio.s3fifo.policy.S3FifoOptions;
import org.jspecify.annotations.Nullable;

/**
 * Builds caches with S3-FIFO eviction.
 *
 * <pre>{@code
 * Cache<Long, Page> pages =
 *     S3Fifo.newBuilder()
 *         .maximumWeight(512L << 20)
 *         .weigher((Long id, Page page) -> page.length())
 *         .removalListener((Long id, Page page, RemovalCause cause) -> page.release())
 *         .build();
 * Page page = pages.get(id, this::readPage);
 * }</pre>
 *
 * <p>A builder may be used once or more; it is not thread-safe.
 *
 * @param <K> the most general key that a cache built by it can have
 * @param <V> the most general value that a cache built by it can have
 */
public final class S3Fifo<K, V> {
  private static final long UNSET = -1;

  private long maximumSize = UNSET;
  private long maximumWeight = UNSET;
  private int initialCapacity = 16;
  private boolean recordStats;
  private S3FifoOptions options = S3FifoOptions.PAPER;
  private @Nullable Weigher<? super K, ? super V> weigher;
  private @Nullable RemovalListener<? super K, ? super V> removalListener;
  private @Nullable RemovalListener<? super K, ? super V> evictionListener;

  private S3Fifo() {}

  /** Returns a builder with the paper's parameters and no bound yet. */
  public static S3Fifo<Object, Object> newBuilder() {
    return new S3Fifo<>();
  }

  /**
   * Bounds the cache by its number of entries. While threads insert at the same time, it may hold
   * more: one per thread, and one for every 256 entries but 1024 at most.
   *
   * @param size at least 0; at 0 nothing stays
   */
  public S3Fifo<K, V> maximumSize(long size) {
    maximumSize = atLeast(0, size, "maximumSize");
    return this;
  }

  /**
   * Bounds the cache by the sum of its entries' weights; needs a {@link #weigher}. Exceeded for a
   * moment as {@link #maximumSize} is.
   *
   * @param weight at least 0
   */
  public S3Fifo<K, V> maximumWeight(long weight) {
    maximumWeight = atLeast(0, weight, "maximumWeight");
    return this;
  }

  /** Sets what weighs the entries for {@link #maximumWeight}. */
  @SuppressWarnings(
      "unchecked") // Narrows the builder, which has used neither type yet, as Caffeine's.
  public <K1 extends K, V1 extends V> S3Fifo<K1, V1> weigher(
      Weigher<? super K1, ? super V1> entryWeigher) {
    S3Fifo<K1, V1> self = (S3Fifo<K1, V1>) this;
    self.weigher = entryWeigher;
    return self;
  }

  /**
   * Sets what is told of every value that leaves the cache, for whatever cause. Values that own
   * memory are to be freed here.
   */
  @SuppressWarnings("unchecked") // As in weigher().
  public <K1 extends K, V1 extends V> S3Fifo<K1, V1> removalListener(
      RemovalListener<? super K1, ? super V1> listener) {
    S3Fifo<K1, V1> self = (S3Fifo<K1, V1>) this;
    self.removalListener = listener;
    return self;
  }

  /**
   * Sets what is told of evictions only; before the {@link #removalListener}, which is told too.
   */
  @SuppressWarnings("unchecked") // As in weigher().
  public <K1 extends K, V1 extends V> S3Fifo<K1, V1> evictionListener(
      RemovalListener<? super K1, ? super V1> listener) {
    S3Fifo<K1, V1> self = (S3Fifo<K1, V1>) this;
    self.evictionListener = listener;
    return self;
  }

  /** Sizes the hash table for so many entries from the start; at least 0. */
  public S3Fifo<K, V> initialCapacity(int entries) {
    initialCapacity = (int) atLeast(0, entries, "initialCapacity");
    return this;
  }

  /** Counts hits, misses and loads, which costs every read a write to a striped counter. */
  public S3Fifo<K, V> recordStats() {
    recordStats = true;
    return this;
  }

  /** Sets the parameters of the algorithm; {@link S3FifoOptions#PAPER} unless set. */
  public S3Fifo<K, V> options(S3FifoOptions policyOptions) {
    options = policyOptions;
    return this;
  }

  /**
   * Builds the cache.
   *
   * @throws IllegalStateException if not exactly one bound is set, or a weigher without {@link
   *     #maximumWeight} or the reverse
   */
  public <K1 extends K, V1 extends V> Cache<K1, V1> build() {
    if ((maximumSize == UNSET) == (maximumWeight == UNSET)) {
      throw new IllegalStateException(
          maximumSize == UNSET
              ? "the cache has no bound: call maximumSize or maximumWeight"
              : "maximumSize and maximumWeight are both set: call one of them");
    }
    if ((weigher == null) != (maximumWeight == UNSET)) {
      throw new IllegalStateException(
          weigher == null
              ? "maximumWeight is set without a weigher: call weigher"
              : "a weigher is set with maximumSize: call maximumWeight instead");
    }
    return new BoundedCache<K1, V1>(
        new Settings<>(
            maximumSize == UNSET ? maximumWeight : maximumSize,
            initialCapacity,
            recordStats,
            options,
            weigher,
            removalListener,
            evictionListener));
  }

  private static long atLeast(long least, long value, String name) {
    if (value < least) {
      throw new IllegalArgumentException(name + " is " + value + ", must be at least " + least);
    }
    return value;
  }

  /** What a cache is built from. */
  record Settings<K, V>(
      long maximum,
      int initialCapacity,
      boolean recordStats,
      S3FifoOptions options,
      @Nullable Weigher<? super K, ? super V> weigher,
      @Nullable RemovalListener<? super K, ? super V> removalListener,
      @Nullable RemovalListener<? super K, ? super V> evictionListener) {}
}
