// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.eviction;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.FileMap;
import io.rdio.core.datacache.BlockDataCache;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.lease.LeaseClock;
import io.rdio.core.prefcache.proto.CachedDevice;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that a client's block data cache evicts, by the extents of their block's file map: a lease
 * on the block keeps them what they are, and what it does not vouch for any more when it is to be
 * sent is not sent. A block without a map under a valid lease tells nothing. Until it is started,
 * and when it is closed, the cache does not know of it. Thread-safe.
 */
final class DataCacheEvictions implements EvictionSource {
  private final BlockDataCache cache;
  private final Function<BlockKey, @Nullable FileMap> maps;
  private final LeaseEpochs epochs;
  private final AtomicReferenceArray<@Nullable TracedDevice> devices =
      new AtomicReferenceArray<>(EvictionTracer.DEVICES);
  private BlockDataCache.@Nullable EvictionListener listening;

  /**
   * Of one cache.
   *
   * @param maps the block's map if it is at hand; never asks anybody for it
   * @param clock the one that leases run on
   */
  DataCacheEvictions(
      BlockDataCache cache, Function<BlockKey, @Nullable FileMap> maps, LeaseClock clock) {
    this.cache = cache;
    this.maps = maps;
    this.epochs = new LeaseEpochs(clock);
  }

  /** Those of the leases that what is told here was under. */
  ExtentEpochs epochs() {
    return epochs;
  }

  /** Whatever the storage node caches may be where DataNodes have their blocks. */
  static DeviceFinder finder() {
    return cached ->
        cached.stream()
            .map(device -> new TracedDevice(device, 0, Optional.empty(), Optional.empty()))
            .filter(TracedDevice::isUsable)
            .toList();
  }

  @Override
  public synchronized void start(Listener listener) {
    listening = (block, offset, length) -> tell(listener, block, offset, length);
    cache.addEvictionListener(listening);
  }

  private void tell(Listener listener, BlockKey block, long offset, int length) {
    FileMap map = maps.apply(block);
    LeaseEpochs.Stamp stamp = map == null ? null : epochs.stamp(map.lease());
    if (map == null || stamp == null) {
      return;
    }
    for (int i = 0; i < EvictionTracer.DEVICES; i++) {
      int index = i;
      TracedDevice device = devices.get(index);
      if (device != null) {
        long start = startOn(device.cached(), map.device());
        if (start >= 0) {
          tellPieces(
              map.blockExtents(),
              offset,
              length,
              (at, bytes) ->
                  listener.evicted(
                      new Eviction.OfDevice(
                          index, start + at, bytes, stamp.slot(), stamp.epoch())));
          return;
        }
      }
    }
  }

  /** Where a volume begins on a device of the storage node; -1 if it is not on it. */
  private static long startOn(CachedDevice cached, DeviceIdentity volume) {
    if (!volume.wwid().isEmpty()
        && (volume.wwid().equals(cached.getWwid())
            || volume.wwid().equalsIgnoreCase("uuid." + cached.getNamespaceUuid()))) {
      return volume.partitionStartBytes();
    }
    return volume.fsUuid().toString().equalsIgnoreCase(cached.getFsUuid()) ? 0 : -1;
  }

  /** Takes a piece of a chunk. */
  @FunctionalInterface
  private interface Pieces {
    void piece(long physical, long bytes);
  }

  private static void tellPieces(ExtentList extents, long offset, int length, Pieces pieces) {
    long end = Math.min(offset + length, extents.length());
    for (long at = offset; at < end; ) {
      int i = extents.indexOf(at);
      long stop = Math.min(end, extents.end(i));
      pieces.piece(extents.physical(i) + (at - extents.start(i)), stop - at);
      at = stop;
    }
  }

  @Override
  public void traced(int index, TracedDevice device) {
    devices.set(index, device);
  }

  @Override
  public void untraced(int index) {
    devices.set(index, null);
  }

  @Override
  public synchronized void close() {
    if (listening != null) {
      cache.removeEvictionListener(listening);
    }
  }
}
