// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What the agent has and did since it was started.
 *
 * @param counts the cache's
 * @param blockBytes of the blocks that those count
 * @param memoryBytes that the store really takes; empty where the kernel does not tell
 * @param queuedBlocks that wait to be prefetched
 * @param queueLength requests of compute nodes under way, all devices together
 * @param pauses times that prefetching waited for a busy device
 * @param failedRuns that a device failed to deliver, and errors of the agent's own
 * @param lostRequests of compute nodes that went unseen
 * @param refusedBatches that made no sense
 * @param streams compute nodes that are connected
 */
public record PrefCacheMetrics(
    SegmentCounts counts,
    int blockBytes,
    OptionalLong memoryBytes,
    long queuedBlocks,
    long queueLength,
    long pauses,
    long failedRuns,
    long lostRequests,
    long refusedBatches,
    int streams) {
  /** By name, in the order to print them; what counts blocks as bytes. */
  public Map<String, Long> asMap() {
    Map<String, Long> map = new LinkedHashMap<>();
    map.put("resident_bytes", bytes(counts.resident()));
    memoryBytes.ifPresent(memory -> map.put("memory_bytes", memory));
    map.put("segments", counts.segments());
    map.put("described_bytes", bytes(counts.described()));
    map.put("admitted_bytes", bytes(counts.admitted()));
    map.put("prefetched_bytes", bytes(counts.prefetched()));
    map.put("read_bytes", bytes(counts.read()));
    map.put("hit_bytes", bytes(counts.hits()));
    map.put("wasted_bytes", bytes(counts.wasted()));
    map.put("late_bytes", bytes(counts.late()));
    map.put("given_up_bytes", bytes(counts.givenUp()));
    map.put("retained_segments", counts.retainedSegments());
    map.put("spent_segments", counts.spentSegments());
    map.put("evicted_segments", counts.evictedSegments());
    map.put("queued_bytes", bytes(queuedBlocks));
    map.put("queue_length", queueLength);
    map.put("pauses", pauses);
    map.put("failed_runs", failedRuns);
    map.put("lost_requests", lostRequests);
    map.put("refused_batches", refusedBatches);
    map.put("streams", (long) streams);
    return map;
  }

  private long bytes(long blocks) {
    return blocks * blockBytes;
  }
}
