// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

/**
 * What of the algorithm can be chosen.
 *
 * @param smallRatio the small queue's share of the maximum; above 0, below 1
 * @param ghostRatio how many evicted entries the ghost queue remembers, as a share of the number of
 *     entries that fit in the cache; at least 0 (none)
 * @param adaptive whether the shares of small and main follow the workload (S3-FIFO-D, §6.2)
 */
public record S3FifoOptions(double smallRatio, double ghostRatio, boolean adaptive) {
  /** The paper's: 10% small, 90% main, a ghost of as many entries as main, fixed shares. */
  public static final S3FifoOptions PAPER = new S3FifoOptions(0.1, 0.9, false);

  /** The paper's S3-FIFO-D, starting from the shares of {@link #PAPER}. */
  public static final S3FifoOptions ADAPTIVE = new S3FifoOptions(0.1, 0.9, true);

  /** Checks the ranges. */
  public S3FifoOptions {
    if (!(smallRatio > 0 && smallRatio < 1)) {
      throw new IllegalArgumentException(
          "smallRatio is " + smallRatio + ", must be above 0 and below 1 (the paper's is 0.1)");
    }
    if (!(ghostRatio >= 0 && ghostRatio <= 16)) {
      throw new IllegalArgumentException(
          "ghostRatio is " + ghostRatio + ", must be 0 to 16 (the paper's is 0.9)");
    }
  }
}
