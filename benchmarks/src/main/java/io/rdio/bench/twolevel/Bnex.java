// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.core.prefcache.OnWrite;
import io.rdio.core.prefcache.SegmentCache;
import io.rdio.core.prefcache.SegmentGeometry;
import io.rdio.core.prefcache.SegmentPolicy;
import io.rdio.core.prefcache.proto.EvictedBlocks;

/**
 * BNEX: production's {@link SegmentCache}, fed with descriptors that are batched and encoded as the
 * compute node's agent does it. Every prefetch is done at once.
 */
final class Bnex implements StorageCache, SegmentCache.Listener {
  /** What a message on an open stream takes besides: gRPC's prefix and HTTP/2's frame header. */
  static final int FRAME_BYTES = 5 + 9;

  private static final int DEVICE = 1;

  private final SegmentCache cache;
  private long descriptorBytes;

  Bnex(int capacity, SegmentPolicy policy) {
    cache =
        new SegmentCache(
            SegmentGeometry.PAPER,
            (long) capacity * Workload.BLOCK_BYTES,
            SegmentCache.DROP_AT,
            policy,
            OnWrite.DROP,
            this);
  }

  /** Whether a block is here. */
  boolean contains(int block) {
    return cache.isValid(DEVICE, block);
  }

  @Override
  public int read(int first, int blocks) {
    return cache.read(DEVICE, first, blocks);
  }

  @Override
  public void evicted(int first, int blocks) {
    descriptorBytes +=
        FRAME_BYTES
            + EvictedBlocks.newBuilder()
                .setDevice(DEVICE)
                .addStarts(first)
                .addMoreBlocks(blocks - 1)
                .build()
                .getSerializedSize();
    cache.evictedAtCompute(DEVICE, first, blocks);
  }

  @Override
  public void prefetch(int device, long firstBlock, int blocks) {
    cache.prefetched(device, firstBlock, blocks);
  }

  @Override
  public void discard(int device, long firstBlock, int blocks) {
    // Nothing is stored here.
  }

  @Override
  public long extraNetworkBytes() {
    return descriptorBytes;
  }

  @Override
  public long prefetched() {
    return cache.counts().prefetched();
  }

  @Override
  public long unreadPrefetches() {
    return cache.counts().prefetched() - cache.counts().hits();
  }
}
