// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What any thread counts; the policy's own counters are under its lock. */
final class Counters {
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder loads = new LongAdder();
  private final LongAdder loadFailures = new LongAdder();
  private final LongAdder loadNanos = new LongAdder();

  void lookups(long found, long notFound) {
    hits.add(found);
    misses.add(notFound);
  }

  void hit() {
    hits.increment();
  }

  void miss() {
    misses.increment();
  }

  void load(boolean success, long nanos) {
    (success ? loads : loadFailures).increment();
    loadNanos.add(nanos);
  }

  /** Returns these counts, zeros if {@code counters} is null, with those of the policy. */
  static CacheStats snapshot(
      @Nullable Counters counters, long evictions, long evictedWeight, long ghostHits) {
    if (counters == null) {
      return new CacheStats(0, 0, 0, 0, 0, evictions, evictedWeight, ghostHits);
    }
    return new CacheStats(
        counters.hits.sum(),
        counters.misses.sum(),
        counters.loads.sum(),
        counters.loadFailures.sum(),
        counters.loadNanos.sum(),
        evictions,
        evictedWeight,
        ghostHits);
  }
}
