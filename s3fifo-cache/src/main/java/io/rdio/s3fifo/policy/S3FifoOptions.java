// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo.policy;

/**
 * What of the algorithm can be chosen.
 *
 * @param smallRatio the small queue's share of the maximum; above 0, below 1
 * @param ghostRatio how many evicted entries the ghost queue remembers, as a share of the number of
 *     entries that fit in the cache; at least 0 (none)
 * @param adaptive whether the shares of small and main follow the workload (S3-FIFO-D, §6.2)
 * @param correlationWindow the share of the small queue whose entries came last and whose hits do
 *     not count; 0 (none) to 1
 * @param hitsToPromote how many hits take an entry from small to main; 1 to 3
 */
public record S3FifoOptions(
    double smallRatio,
    double ghostRatio,
    boolean adaptive,
    double correlationWindow,
    int hitsToPromote) {
  /** The paper's: 10% small, 90% main, a ghost of as many entries as main, fixed shares. */
  public static final S3FifoOptions PAPER = new S3FifoOptions(0.1, 0.9, false);

  /** The paper's S3-FIFO-D, starting from the shares of {@link #PAPER}. */
  public static final S3FifoOptions ADAPTIVE = new S3FifoOptions(0.1, 0.9, true);

  /**
   * Those of {@link #PAPER} with the correlation window of Clock2Q+ (VLDB 2026): what is asked for
   * again at once, as a block of metadata for each of the objects in it, is not hot for that. The
   * newer half of small is the window, and one hit behind it is enough.
   */
  public static final S3FifoOptions CORRELATED = new S3FifoOptions(0.1, 0.9, false, 0.5, 1);

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
    if (!(correlationWindow >= 0 && correlationWindow <= 1)) {
      throw new IllegalArgumentException(
          "correlationWindow is " + correlationWindow + ", must be 0 to 1 (the paper's is 0)");
    }
    if (hitsToPromote < 1 || hitsToPromote > S3FifoEntry.MAX_FREQUENCY) {
      throw new IllegalArgumentException(
          "hitsToPromote is " + hitsToPromote + ", must be 1 to 3 (the paper's is 2)");
    }
  }

  /** Without a correlation window, and with the paper's two hits to promote. */
  public S3FifoOptions(double smallRatio, double ghostRatio, boolean adaptive) {
    this(smallRatio, ghostRatio, adaptive, 0, 2);
  }
}
