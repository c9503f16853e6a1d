// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/** The order in which segments go, by their slots in a {@link SegmentTable}. Not thread-safe. */
interface SegmentOrder {
  /** Evicts one segment: takes it out of the table. Must not call the order. */
  @FunctionalInterface
  interface Evictor {
    void evict(int slot);
  }

  /**
   * A segment is new, or holds more blocks than before. Evicts until all of it fits, which may
   * include the segment itself.
   */
  void grown(int slot);

  /** A segment holds fewer blocks than before, at least one. */
  void shrunk(int slot);

  /** Blocks of a segment were read. */
  void hit(int slot);

  /** A segment that was not evicted by this order goes. */
  void remove(int slot);
}
