// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.counters.EvictionCounters;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Spatial-locality-aware batching (BNEX, section 3.2): evicted blocks wait a little for their
 * neighbours, and once enough blocks of a segment are there the whole segment is told: block b is
 * of the segment that starts at {@code b - b mod s}. Blocks that wait in vain are told as they are.
 * Not thread-safe.
 *
 * <p>With {@code enough} below s a segment brings along blocks that were not evicted: fewer and
 * larger reads for the storage node, but some of them of blocks that this host still has, or that
 * belong to no file. By default enough is all.
 *
 * <p>Invariant: every block is told at most {@code wait} after it was added, as long as {@link
 * #tick} is called; at most {@code maxWaiting} segments wait, some 150 bytes each.
 */
public final class SegmentBatcher {
  /** Which segment of which device. */
  private record SegmentKey(int device, long segment) {}

  /** Blocks of one segment that wait, all of one file in one epoch. */
  private static final class Waiting {
    final int slot;
    final int epoch;
    final long sinceNanos;
    long blocks;

    Waiting(int slot, int epoch, long sinceNanos) {
      this.slot = slot;
      this.epoch = epoch;
      this.sinceNanos = sinceNanos;
    }
  }

  private final int segmentBlocks;
  private final int enough;
  private final int maxWaiting;
  private final long waitNanos;
  private final MonotonicClock clock;
  private final BlockRunSink sink;
  private final EvictionCounters counters;
  private final LinkedHashMap<SegmentKey, Waiting> waiting = new LinkedHashMap<>();

  /**
   * @param segmentBlocks s, a power of two, at most 64
   * @param enough blocks of a segment that it takes to tell all of it, 1 to s
   * @param wait how long blocks wait for neighbours
   * @param maxWaiting segments that may wait at a time
   */
  public SegmentBatcher(
      int segmentBlocks,
      int enough,
      Duration wait,
      int maxWaiting,
      MonotonicClock clock,
      BlockRunSink sink,
      EvictionCounters counters) {
    if (Integer.bitCount(segmentBlocks) != 1 || segmentBlocks > Long.SIZE) {
      throw new IllegalArgumentException(
          segmentBlocks + " blocks in a segment: not a power of two up to 64");
    }
    if (enough < 1 || enough > segmentBlocks) {
      throw new IllegalArgumentException(
          enough + " of " + segmentBlocks + " blocks are enough: not from 1 to all");
    }
    this.segmentBlocks = segmentBlocks;
    this.enough = enough;
    this.waitNanos = wait.toNanos();
    this.maxWaiting = maxWaiting;
    this.clock = clock;
    this.sink = sink;
    this.counters = counters;
  }

  /** Takes evicted blocks; see {@link BlockRunSink#run}. */
  public void add(int device, long first, long blocks, int slot, int epoch) {
    long end = first + blocks;
    long at = first;
    while (at < end) {
      long start = at & -segmentBlocks;
      if (at == start && end - at >= segmentBlocks) {
        long whole = Math.min((end - at) & -segmentBlocks, Integer.MAX_VALUE & -segmentBlocks);
        tellWhole(device, at, (int) whole, slot, epoch);
        at += whole;
      } else {
        long stop = Math.min(end, start + segmentBlocks);
        addPart(device, start, (int) (at - start), (int) (stop - at), slot, epoch);
        at = stop;
      }
    }
    while (waiting.size() > maxWaiting) {
      tellOldest();
    }
  }

  /** Whole segments need not wait, nor what waits of them. */
  private void tellWhole(int device, long first, int blocks, int slot, int epoch) {
    for (long at = first; !waiting.isEmpty() && at < first + blocks; at += segmentBlocks) {
      waiting.remove(new SegmentKey(device, at / segmentBlocks));
    }
    counters.wholeSegments.add(blocks / segmentBlocks);
    tell(device, first, blocks, slot, epoch);
  }

  private void addPart(int device, long start, int from, int count, int slot, int epoch) {
    SegmentKey key = new SegmentKey(device, start / segmentBlocks);
    Waiting part = waiting.get(key);
    if (part != null && (part.slot != slot || part.epoch != epoch)) {
      // Of another file, or from before a change: they cannot be told as one.
      waiting.remove(key);
      tellBlocks(key, part);
      part = null;
    }
    if (part == null) {
      part = new Waiting(slot, epoch, clock.nanos());
      waiting.put(key, part);
    }
    part.blocks |= mask(count) << from;
    if (Long.bitCount(part.blocks) >= enough) {
      waiting.remove(key);
      tellWhole(device, start, segmentBlocks, slot, epoch);
    }
  }

  private static long mask(int blocks) {
    return blocks == Long.SIZE ? -1L : (1L << blocks) - 1;
  }

  /** Tells what has waited long enough; to be called now and then. */
  public void tick() {
    long now = clock.nanos();
    // In the order in which they began to wait.
    for (Iterator<Map.Entry<SegmentKey, Waiting>> i = waiting.entrySet().iterator();
        i.hasNext(); ) {
      Map.Entry<SegmentKey, Waiting> oldest = i.next();
      if (now - oldest.getValue().sinceNanos < waitNanos) {
        return;
      }
      i.remove();
      tellBlocks(oldest.getKey(), oldest.getValue());
    }
  }

  /** Tells all that waits. */
  void flush() {
    while (!waiting.isEmpty()) {
      tellOldest();
    }
  }

  private void tellOldest() {
    Map.Entry<SegmentKey, Waiting> oldest = waiting.entrySet().iterator().next();
    waiting.remove(oldest.getKey());
    tellBlocks(oldest.getKey(), oldest.getValue());
  }

  private void tellBlocks(SegmentKey key, Waiting part) {
    long start = key.segment() * segmentBlocks;
    for (long left = part.blocks; left != 0; ) {
      int from = Long.numberOfTrailingZeros(left);
      int count = Long.numberOfTrailingZeros(~(left >>> from));
      tell(key.device(), start + from, count, part.slot, part.epoch);
      left &= ~(mask(count) << from);
    }
  }

  private void tell(int device, long first, int blocks, int slot, int epoch) {
    counters.runs.increment();
    sink.run(device, first, blocks, slot, epoch);
  }

  /** Segments that wait. */
  int waiting() {
    return waiting.size();
  }
}
