// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.counters;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts of durations in powers of two of a microsecond: bucket {@code i} holds those below {@code
 * 2^i} µs that no lower bucket holds, the last one all the rest; and their sum. Thread-safe,
 * without locks.
 */
public final class LatencyHistogram {
  /** Number of buckets; the last one starts at 2^26 µs, about 67 s. */
  public static final int BUCKETS = 28;

  private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);
  private final LongAdder sum = new LongAdder();

  /** Counts one duration; a negative one counts as 0. */
  public void record(long nanos) {
    sum.add(Math.max(0, nanos));
    long micros = Math.max(0, nanos) / 1000;
    int bucket = 64 - Long.numberOfLeadingZeros(micros);
    counts.incrementAndGet(Math.min(bucket, BUCKETS - 1));
  }

  /** All durations together, in nanoseconds. */
  public long sumNanos() {
    return sum.sum();
  }

  /** Durations counted in bucket {@code i}. */
  public long count(int i) {
    return counts.get(i);
  }

  /**
   * Upper bound, in microseconds, of the bucket that holds the given fraction of all durations; 0
   * when there are none.
   *
   * @param fraction in (0, 1]
   */
  public long percentileMicros(double fraction) {
    long total = 0;
    for (int i = 0; i < BUCKETS; i++) {
      total += counts.get(i);
    }
    long rank = (long) Math.ceil(total * fraction);
    long seen = 0;
    for (int i = 0; total > 0 && i < BUCKETS; i++) {
      seen += counts.get(i);
      if (seen >= rank) {
        return 1L << i;
      }
    }
    return 0;
  }
}
