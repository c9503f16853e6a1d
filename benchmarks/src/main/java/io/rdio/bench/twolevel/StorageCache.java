// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

/**
 * Level 2: what the storage node has in memory, by some policy. Blocks are {@link
 * Workload#BLOCK_BYTES} bytes of one device.
 */
interface StorageCache {
  /**
   * What a compute node sees of it. What is counted is with the whole.
   *
   * @param node from 0 on, below the number that this was made for
   */
  default StorageCache forNode(int node) {
    return this;
  }

  /**
   * A compute node reads blocks that it does not have.
   *
   * @return how many of them did not have to be read from the disk
   */
  int read(int first, int blocks);

  /** A compute node evicted clean blocks. */
  default void evicted(int first, int blocks) {}

  /** Bytes sent over the network so far besides the blocks that were read. */
  default long extraNetworkBytes() {
    return 0;
  }

  /** Blocks that were fetched from the disk so far without having been asked for. */
  default long prefetched() {
    return 0;
  }

  /** Of those, how many left unread, or are still unread. */
  default long unreadPrefetches() {
    return 0;
  }
}
