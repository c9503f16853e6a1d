// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.workload;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Zipf's law: the rank r, from 0, is drawn by a share of (r + 1) to the power of −exponent.
 *
 * <p>By inversion: the first rank whose cumulative share is above a uniform number (L. Devroye,
 * Non-Uniform Random Variate Generation, 1986, III.2). That is exact, and takes eight bytes for
 * each rank; YCSB approximates it without a table, as J. Gray and others do (Quickly Generating
 * Billion-Record Synthetic Databases, SIGMOD 1994).
 */
public final class Zipf {
  private final double[] cumulative;

  /**
   * Sums the shares up.
   *
   * @param exponent 0 for uniform
   */
  public Zipf(int ranks, double exponent) {
    cumulative = new double[ranks];
    double sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += Math.pow(rank + 1.0, -exponent);
      cumulative[rank] = sum;
    }
  }

  /** Draws a rank, by one number of the generator. */
  public int rank(SplittableRandom random) {
    int last = cumulative.length - 1;
    int found = Arrays.binarySearch(cumulative, random.nextDouble() * cumulative[last]);
    return Math.min(found < 0 ? -found - 1 : found, last);
  }

  /** The numbers from 0 up in any order: where each rank lies. */
  public static int[] shuffled(int count, SplittableRandom random) {
    int[] places = new int[count];
    Arrays.setAll(places, i -> i);
    for (int i = count - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int place = places[i];
      places[i] = places[other];
      places[other] = place;
    }
    return places;
  }
}
