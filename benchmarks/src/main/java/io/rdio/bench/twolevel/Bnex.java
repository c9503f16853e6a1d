// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.exclusive.eviction.BatchEncoder;
import io.rdio.exclusive.eviction.SegmentBatcher;
import io.rdio.exclusive.prefcache.OnWrite;
import io.rdio.exclusive.prefcache.SegmentCache;
import io.rdio.exclusive.prefcache.SegmentGeometry;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import io.rdio.exclusive.wire.EvictedBlocks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * BNEX: production's classes between the eviction and the prefetch. {@link SegmentBatcher} has
 * blocks wait for their neighbours, {@link BatchEncoder} makes the messages, {@link SegmentCache}
 * decides. The time that blocks and messages wait is production's as well, for a compute node that
 * reads so much that its page cache is new once a minute; what is prefetched is here at once.
 */
final class Bnex implements StorageCache, SegmentCache.Listener {
  /** What a message on an open stream takes besides: gRPC's prefix and HTTP/2's frame header. */
  private static final int FRAME_BYTES = 5 + 9;

  private static final int DEVICE = 1;
  private static final Duration TURNOVER = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofMillis(200);
  private static final Duration SENT_EVERY = Duration.ofMillis(50);
  private static final int MAX_WAITING = 1 << 16;

  /** A compute node's agent, with blocks that wait and the next message. */
  private final class Agent implements StorageCache {
    private final BatchEncoder encoder = new BatchEncoder(SegmentGeometry.PAPER.segmentBlocks());
    private final SegmentBatcher batcher =
        new SegmentBatcher(
            SegmentGeometry.PAPER.segmentBlocks(),
            SegmentGeometry.PAPER.segmentBlocks(),
            PATIENCE,
            MAX_WAITING,
            () -> nanos,
            (device, first, blocks, slot, epoch) -> encoder.add(first, blocks),
            new EvictionCounters());

    @Override
    public int read(int first, int blocks) {
      return Bnex.this.read(first, blocks);
    }

    @Override
    public void evicted(int first, int blocks) {
      batcher.add(DEVICE, first, blocks, 0, 0);
    }
  }

  private final SegmentCache cache;
  private final List<Agent> agents = new ArrayList<>();
  private final long nanosPerBlock;
  private long nanos;
  private long sentNanos;
  private long descriptorBytes;

  /** As the other one, for one compute node. */
  Bnex(int level1, int capacity, SegmentPolicy policy) {
    this(level1, capacity, policy, 1);
  }

  /**
   * Creates an empty cache.
   *
   * @param level1 blocks of a compute node's page cache, at least 1
   * @param capacity in blocks
   * @param nodes compute nodes
   */
  Bnex(int level1, int capacity, SegmentPolicy policy, int nodes) {
    nanosPerBlock = TURNOVER.toNanos() / level1 / nodes;
    cache =
        new SegmentCache(
            SegmentGeometry.PAPER,
            (long) capacity * Workload.BLOCK_BYTES,
            SegmentCache.DROP_AT,
            policy,
            OnWrite.DROP,
            this);
    for (int node = 0; node < nodes; node++) {
      agents.add(new Agent());
    }
  }

  @Override
  public StorageCache forNode(int node) {
    return agents.get(node);
  }

  /** Whether a block is here. */
  boolean contains(int block) {
    return cache.isValid(DEVICE, block);
  }

  @Override
  public int read(int first, int blocks) {
    nanos += blocks * nanosPerBlock;
    if (nanos - sentNanos >= SENT_EVERY.toNanos()) {
      sentNanos = nanos;
      for (Agent agent : agents) {
        agent.batcher.tick();
        send(agent.encoder);
      }
    }
    return cache.read(DEVICE, first, blocks);
  }

  @Override
  public void evicted(int first, int blocks) {
    agents.get(0).evicted(first, blocks);
  }

  private void send(BatchEncoder encoder) {
    if (encoder.isEmpty()) {
      return;
    }
    EvictedBlocks batch = encoder.encode(DEVICE);
    descriptorBytes += FRAME_BYTES + batch.getSerializedSize();
    long at = 0;
    for (int run = 0; run < batch.getStartsCount(); run++) {
      at += batch.getStarts(run);
      int blocks =
          batch.getMoreBlocksCount() == 0
              ? SegmentGeometry.PAPER.segmentBlocks()
              : batch.getMoreBlocks(run) + 1;
      cache.evictedAtCompute(DEVICE, at, blocks);
      at += blocks;
    }
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
