// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import java.util.ArrayList;
import java.util.List;

/**
 * How the cost of one kind of work grows with the work: in clusters of several sizes, the smallest
 * first.
 */
final class Growth {
  /** Twice as much of a power above this costs more than the noise of a measurement. */
  private static final double LIMIT = 1.2;

  private final List<Double> work = new ArrayList<>();
  private final List<Double> costs = new ArrayList<>();

  /**
   * Adds a larger cluster.
   *
   * @param done how much was done
   * @param cost what all of it cost
   */
  void add(double done, double cost) {
    work.add(done);
    costs.add(cost);
  }

  /**
   * The x for which the cost is as the work to the power of x, by the smallest and the largest: 1
   * where it grows with the work. NaN where there is nothing to tell it by.
   */
  double exponent() {
    if (work.isEmpty()) {
      return Double.NaN;
    }
    int last = work.size() - 1;
    double more = Math.log(work.get(last) / work.get(0));
    return more > 0 ? Math.log(costs.get(last) / costs.get(0)) / more : Double.NaN;
  }

  /** Whether the cost grows faster than the work. */
  boolean isSuperlinear() {
    return exponent() > LIMIT;
  }
}
