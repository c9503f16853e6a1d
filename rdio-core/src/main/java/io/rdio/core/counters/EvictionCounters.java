// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.counters;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * What KTracer counts, since it was started. Here, so that a client can publish it without loading
 * a class of the tracer. Thread-safe.
 */
public final class EvictionCounters {
  /** Bytes that fell out of this host's memory, as the sources tell. */
  public final LongAdder evictedBytes = new LongAdder();

  /** Evictions as the sources tell them: runs of pages, or chunks. */
  public final LongAdder evictions = new LongAdder();

  /** Windows of files whose extents were known, and those that were asked for. */
  public final LongAdder extentHits = new LongAdder();

  public final LongAdder extentMisses = new LongAdder();

  /** Files forgotten because extents of theirs, or of a file in the same slot, changed. */
  public final LongAdder extentInvalidations = new LongAdder();

  /** Times that the file system could not be asked. */
  public final LongAdder lookupFailures = new LongAdder();

  /** Evicted bytes without a place on the device: holes, inline data, files that are gone. */
  public final LongAdder unmappedBytes = new LongAdder();

  /**
   * Evicted bytes that make no whole block of the storage node's: where pages do not begin at
   * multiples of its blocks (a file system with smaller ones, a partition that begins in between),
   * what lies before the first and behind the last whole block of a run. Also what is behind the
   * end of the device that the storage node caches.
   */
  public final LongAdder partialBytes = new LongAdder();

  /** Runs of blocks that were made of evictions, and those of them that are whole segments. */
  public final LongAdder runs = new LongAdder();

  public final LongAdder wholeSegments = new LongAdder();

  /** Blocks that were sent, in how many batches, and what these took on the wire. */
  public final LongAdder sentBlocks = new LongAdder();

  public final LongAdder sentBatches = new LongAdder();
  public final LongAdder sentBytes = new LongAdder();

  /** Blocks whose file changed before they were sent. */
  public final LongAdder staleBlocks = new LongAdder();

  /** Blocks that were given up because the storage agent was away or slow. */
  public final LongAdder lostBlocks = new LongAdder();

  /** Streams to the storage agent that were opened, and those that broke. */
  public final LongAdder streams = new LongAdder();

  public final LongAdder brokenStreams = new LongAdder();

  /** Times that the tracer's own thread met an error and began again. */
  public final LongAdder tracerFailures = new LongAdder();

  private volatile String lastLookupFailure = "";

  /** The file system could not be asked. */
  public void lookupFailed(String why) {
    lookupFailures.increment();
    lastLookupFailure = why;
  }

  /** Why the file system could not be asked the last time; "" if it always could. */
  public String lastLookupFailure() {
    return lastLookupFailure;
  }

  /** All of them by name, in the order of an eviction's way. */
  public Map<String, Long> values() {
    Map<String, Long> values = new LinkedHashMap<>();
    values.put("evictions", evictions.sum());
    values.put("evicted_bytes", evictedBytes.sum());
    values.put("extent_hits", extentHits.sum());
    values.put("extent_misses", extentMisses.sum());
    values.put("extent_invalidations", extentInvalidations.sum());
    values.put("lookup_failures", lookupFailures.sum());
    values.put("unmapped_bytes", unmappedBytes.sum());
    values.put("partial_bytes", partialBytes.sum());
    values.put("runs", runs.sum());
    values.put("whole_segments", wholeSegments.sum());
    values.put("sent_blocks", sentBlocks.sum());
    values.put("sent_batches", sentBatches.sum());
    values.put("sent_bytes", sentBytes.sum());
    values.put("stale_blocks", staleBlocks.sum());
    values.put("lost_blocks", lostBlocks.sum());
    values.put("streams", streams.sum());
    values.put("broken_streams", brokenStreams.sum());
    values.put("tracer_failures", tracerFailures.sum());
    return values;
  }
}
