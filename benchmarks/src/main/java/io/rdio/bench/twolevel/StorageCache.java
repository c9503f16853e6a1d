// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

/**
 * Level 2: what the storage node has in memory, by some policy, for one compute node. Blocks are
 * {@link Workload#BLOCK_BYTES} bytes of one device.
 */
interface StorageCache {
  /**
   * The compute node reads blocks that it does not have.
   *
   * @return how many of them did not have to be read from the disk
   */
  int read(int first, int blocks);

  /** The compute node evicted clean blocks. */
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
