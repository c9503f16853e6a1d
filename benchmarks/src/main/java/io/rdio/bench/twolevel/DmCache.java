// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.simulator.ObjectLists;

/**
 * A client-driven cache in the manner of Linux's dm-cache: the compute node has a dm-cache over the
 * namespace (its origin) whose cache device is the storage node's memory, exported as a second
 * namespace. The compute node decides and copies; the storage node only stores.
 *
 * <p>Taken from dm-cache: chunks of 32 KB, its least; a chunk is copied as a whole, by way of the
 * compute node, so that a promotion costs the network two chunks; promoted is only what was missed
 * before and is still remembered (its hot spots); and replacement is by several queues by
 * popularity. That last is here Multi-Queue (Zhou, Philbin and Li, USENIX ATC'01, §4), which
 * dm-cache's policies mq and smq come from: eight queues, queue k for chunks read 2<sup>k</sup>
 * times and more, the lowest queue's least recent leaves first, and a chunk unread for a lifetime
 * goes down one queue. A lifetime is as many reads as the cache has chunks; as many evicted or
 * missed chunks are remembered with their count.
 */
final class DmCache implements StorageCache {
  /** Of a chunk: 64 sectors. */
  static final int CHUNK_BLOCKS = 8;

  private static final int QUEUES = 8;
  private static final int REMEMBERED = QUEUES;

  private final int capacity;
  private final ObjectLists lists;
  private final int[] reads;
  private final long[] expires;
  private long now;
  private int resident;
  private long promotedBytes;

  /**
   * Creates an empty cache.
   *
   * @param capacity in blocks, at least a chunk
   */
  DmCache(int blocks, int capacity) {
    this.capacity = Math.max(1, capacity / CHUNK_BLOCKS);
    int chunks = (blocks + CHUNK_BLOCKS - 1) / CHUNK_BLOCKS;
    lists = new ObjectLists(chunks, QUEUES + 1);
    reads = new int[chunks];
    expires = new long[chunks];
  }

  @Override
  public int read(int first, int blocks) {
    int hits = 0;
    int end = first + blocks;
    for (int at = first; at < end; ) {
      int chunk = at / CHUNK_BLOCKS;
      int next = Math.min(end, (chunk + 1) * CHUNK_BLOCKS);
      if (readChunk(chunk)) {
        hits += next - at;
      }
      at = next;
    }
    return hits;
  }

  @Override
  public long extraNetworkBytes() {
    return promotedBytes;
  }

  private boolean readChunk(int chunk) {
    now++;
    ageQueues();
    int list = lists.listOf(chunk);
    boolean hit = list >= 0 && list < QUEUES;
    if (list == ObjectLists.NONE) {
      reads[chunk] = 1;
      remember(chunk);
    } else {
      reads[chunk]++;
      if (!hit) {
        promote(chunk);
      }
      enqueue(chunk, Math.min(QUEUES - 1, 31 - Integer.numberOfLeadingZeros(reads[chunk])));
    }
    return hit;
  }

  private void promote(int chunk) {
    lists.remove(chunk);
    if (resident == capacity) {
      evict();
    }
    resident++;
    promotedBytes += 2L * CHUNK_BLOCKS * Workload.BLOCK_BYTES;
  }

  private void evict() {
    int lowest = 0;
    while (lists.size(lowest) == 0) {
      lowest++;
    }
    remember(lists.tail(lowest));
    resident--;
  }

  private void remember(int chunk) {
    lists.moveToHead(REMEMBERED, chunk);
    if (lists.size(REMEMBERED) > capacity) {
      lists.removeTail(REMEMBERED);
    }
  }

  private void enqueue(int chunk, int queue) {
    expires[chunk] = now + capacity;
    lists.moveToHead(queue, chunk);
  }

  private void ageQueues() {
    for (int queue = 1; queue < QUEUES; queue++) {
      int oldest = lists.tail(queue);
      if (oldest != ObjectLists.NONE && expires[oldest] < now) {
        enqueue(oldest, queue - 1);
      }
    }
  }
}
