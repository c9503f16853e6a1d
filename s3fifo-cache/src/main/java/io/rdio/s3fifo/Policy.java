// SPDX-License-Identifier: Apache-2.0
package io.rdio.s3fifo;

/** The eviction policy of a {@link Cache}, to look at and to resize. Safe for use by any thread. */
public interface Policy {

  /** Returns whether the bound is on the sum of weights; if not, it is on the number of entries. */
  boolean isWeighted();

  /** Returns the bound, in weight if {@link #isWeighted}, else in entries. */
  long getMaximum();

  /**
   * Changes the bound, and evicts what is too much before it returns.
   *
   * @param maximum at least 0; at 0 only entries of weight 0 stay
   */
  void setMaximum(long maximum);

  /** Returns the sizes of the queues, all taken at one moment. */
  QueueSizes sizes();

  /**
   * The sizes of the three queues.
   *
   * @param smallEntries entries in the small queue
   * @param smallWeight their weight; equals {@code smallEntries} when not weighted
   * @param mainEntries entries in the main queue
   * @param mainWeight their weight; equals {@code mainEntries} when not weighted
   * @param ghostEntries evicted entries that are remembered
   * @param smallRatio the small queue's share of the maximum; changes if adaptive
   */
  record QueueSizes(
      long smallEntries,
      long smallWeight,
      long mainEntries,
      long mainWeight,
      long ghostEntries,
      double smallRatio) {

    /** Returns the weight of all entries in the cache. */
    public long totalWeight() {
      return smallWeight + mainWeight;
    }
  }
}
