// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;

/**
 * DEMOTE (Wong and Wilkes, "My cache or yours?", USENIX ATC'02): the compute node sends each page
 * that it evicts, and level 2 keeps those, LRU; what is read leaves level 2 at once, for level 1
 * has it now. (In the paper it becomes the next to leave.) So no block is in both. Every eviction
 * costs the network a whole page and a command.
 */
final class DemoteCache implements StorageCache {
  /** An NVMe command capsule. */
  private static final int COMMAND_BYTES = 64;

  private static final int LIST = 0;

  private final int capacity;
  private final ObjectLists lists;
  private long demotedBytes;

  DemoteCache(int blocks, int capacity) {
    this.capacity = capacity;
    lists = new ObjectLists(blocks, 1);
  }

  /** Whether a block is here. */
  boolean contains(int block) {
    return lists.listOf(block) == LIST;
  }

  @Override
  public int read(int first, int blocks) {
    int hits = 0;
    for (int block = first; block < first + blocks; block++) {
      if (contains(block)) {
        hits++;
        lists.remove(block);
      }
    }
    return hits;
  }

  @Override
  public void evicted(int first, int blocks) {
    demotedBytes += COMMAND_BYTES + (long) blocks * Workload.BLOCK_BYTES;
    for (int block = first; block < first + blocks; block++) {
      lists.moveToHead(LIST, block);
      if (lists.size(LIST) > capacity) {
        lists.removeTail(LIST);
      }
    }
  }

  @Override
  public long extraNetworkBytes() {
    return demotedBytes;
  }
}
