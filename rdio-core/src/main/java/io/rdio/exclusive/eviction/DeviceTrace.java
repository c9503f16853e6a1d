// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.counters.EvictionCounters;
import org.jspecify.annotations.Nullable;

/**
 * The way of one device's evictions to runs of blocks. Not thread-safe.
 *
 * @param index by which evictions name the device
 * @param extents of the files on it; null if its own pages are traced
 */
record DeviceTrace(
    int index,
    TracedDevice device,
    @Nullable ExtentCache extents,
    SegmentBatcher batcher,
    EvictionCounters counters) {

  /** The same with what the storage node says of the device now. */
  DeviceTrace with(TracedDevice renumbered) {
    return new DeviceTrace(index, renumbered, extents, batcher, counters);
  }

  void evicted(Eviction eviction) {
    if (eviction instanceof Eviction.OfDevice own) {
      place(own.offset(), own.bytes(), own.slot(), own.epoch());
    } else if (eviction instanceof Eviction.OfFile file && extents != null) {
      extents.translate(file, this::place);
    }
  }

  /**
   * Blocks that are evicted in part only are left out and counted: the rest of them may still be
   * here, or be another file's. So are those behind the end of what the storage node caches.
   */
  private void place(long offset, long length, int slot, int epoch) {
    long block = device.blockBytes();
    long start = device.startBytes() + offset;
    long first = (start + block - 1) / block;
    long end = Math.min((start + length) / block, device.cached().getBlocks());
    long whole = Math.max(0, end - first);
    counters.partialBytes.add(length - whole * block);
    if (whole > 0) {
      batcher.add(index, first, whole, slot, epoch);
    }
  }
}
