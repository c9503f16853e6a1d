// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Traces made by a formula, the same on every machine: a generator is the most compact form of
 * them. Random numbers are SplitMix64 in counter form; ranks are 1 for the most popular.
 */
public final class SyntheticTraces {
  private static final Map<String, Supplier<long[]>> TRACES =
      Map.of(
          "zipf0.70-s", () -> zipf(100_000, 500_000, 0.7, 42),
          "zipf0.99-s", () -> zipf(100_000, 500_000, 0.99, 42),
          "zipf1.20-s", () -> zipf(100_000, 500_000, 1.2, 42),
          "zipfscan-s", () -> zipfScan(zipf(50_000, 300_000, 0.9, 77), 20_000, 6_000),
          "twohit-s", () -> twoHit(100_000, 1_500),
          "twohitwarm-s", SyntheticTraces::twoHitWarm,
          "shift-s", () -> shift(zipf(50_000, 400_000, 0.9, 99), 25_000, 4));

  private SyntheticTraces() {}

  /** Returns whether there is a trace of that name. */
  public static boolean has(String name) {
    return TRACES.containsKey(name);
  }

  /** Returns the object ids of the trace, one per request. */
  public static long[] generate(String name) {
    return TRACES.get(name).get();
  }

  static long[] zipf(int objects, int requests, double alpha, long seed) {
    double[] cumulative = new double[objects];
    double sum = 0;
    for (int k = 0; k < objects; k++) {
      sum += StrictMath.pow(k + 1, -alpha);
      cumulative[k] = sum;
    }
    long[] ids = new long[requests];
    for (int i = 0; i < requests; i++) {
      ids[i] = firstAbove(cumulative, uniform(seed, i) * sum) + 1L;
    }
    return ids;
  }

  /** After each {@code every} requests of a Zipf stream, a scan of ids that were never seen. */
  private static long[] zipfScan(long[] zipf, int every, int scanned) {
    long[] ids = new long[zipf.length / every * (every + scanned)];
    long fresh = 10_000_000;
    int to = 0;
    for (int from = 0; from < zipf.length; from += every) {
      System.arraycopy(zipf, from, ids, to, every);
      to += every;
      for (int i = 0; i < scanned; i++) {
        ids[to++] = fresh++;
      }
    }
    return ids;
  }

  /** Adversarial for S3-FIFO: each object is requested twice, the second time {@code gap} later. */
  private static long[] twoHit(int objects, int gap) {
    long[] ids = new long[2 * objects];
    int to = 0;
    for (int i = 0; i < objects + gap; i++) {
      if (i < objects) {
        ids[to++] = i + 1L;
      }
      if (i >= gap) {
        ids[to++] = i - gap + 1L;
      }
    }
    return ids;
  }

  /** Fills the main queue with a Zipf phase before the two hits. */
  private static long[] twoHitWarm() {
    long[] warm = zipf(20_000, 200_000, 0.9, 5);
    Arrays.setAll(warm, i -> warm[i] + 5_000_000);
    long[] cold = twoHit(100_000, 1_500);
    long[] ids = Arrays.copyOf(warm, warm.length + cold.length);
    System.arraycopy(cold, 0, ids, warm.length, cold.length);
    return ids;
  }

  /** A Zipf stream whose hot set moves by {@code distance} ids in every phase. */
  private static long[] shift(long[] zipf, long distance, int phases) {
    long[] ids = new long[zipf.length];
    Arrays.setAll(ids, i -> zipf[i] + (long) i * phases / zipf.length * distance);
    return ids;
  }

  private static double uniform(long seed, int i) {
    long z = seed + (i + 1L) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    z ^= z >>> 31;
    return (z >>> 11) * 0x1.0p-53;
  }

  private static int firstAbove(double[] ascending, double x) {
    int low = 0;
    int high = ascending.length - 1;
    while (low < high) {
      int mid = (low + high) >>> 1;
      if (ascending[mid] > x) {
        high = mid;
      } else {
        low = mid + 1;
      }
    }
    return low;
  }
}
