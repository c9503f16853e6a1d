// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import org.HdrHistogram.Histogram;

/** Histograms of the time of reads, in nanoseconds, to three digits. */
public final class Latencies {
  /** Longer reads count as this long: a minute, HDFS's own timeout. */
  static final long LONGEST_NANOS = 60_000_000_000L;

  private static final long SHORTEST_NANOS = 10;
  private static final int DIGITS = 3;

  private Latencies() {}

  /** One without values. */
  public static Histogram histogram() {
    return new Histogram(SHORTEST_NANOS, LONGEST_NANOS, DIGITS);
  }

  /** Adds a read that began at this {@link System#nanoTime} and ends now. */
  static void recordSince(Histogram histogram, long startNanos) {
    histogram.recordValue(Math.min(System.nanoTime() - startNanos, LONGEST_NANOS));
  }
}
