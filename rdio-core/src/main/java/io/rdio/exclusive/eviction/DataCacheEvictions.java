// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.MonotonicClock;
import io.rdio.exclusive.wire.CachedDevice;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Chunks that a client's block data cache evicts, by their blocks' extents: a lease on the block
 * keeps them what they are, and what it does not vouch for any more when it is to be sent is not
 * sent. Until it is started, and when it is closed, the cache does not know of it. Thread-safe.
 */
final class DataCacheEvictions implements EvictionSource {
  private final ExtentEvictions cache;
  private final LeaseEpochs epochs;
  private final AtomicReferenceArray<@Nullable TracedDevice> devices =
      new AtomicReferenceArray<>(EvictionTracer.DEVICES);
  private ExtentEvictions.@Nullable Subscription subscription;

  /**
   * Of one cache.
   *
   * @param clock the one that leases run on
   */
  DataCacheEvictions(ExtentEvictions cache, MonotonicClock clock) {
    this.cache = cache;
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
    subscription =
        cache.listen(
            (device, extents, lease, offset, length) -> {
              LeaseEpochs.Stamp stamp = epochs.stamp(lease);
              if (stamp != null) {
                tell(listener, device, extents, stamp, offset, length);
              }
            });
  }

  private void tell(
      Listener listener,
      DeviceIdentity on,
      ExtentList extents,
      LeaseEpochs.Stamp stamp,
      long offset,
      int length) {
    for (int i = 0; i < EvictionTracer.DEVICES; i++) {
      int index = i;
      TracedDevice device = devices.get(index);
      if (device != null) {
        long start = startOn(device.cached(), on);
        if (start >= 0) {
          tellPieces(
              extents,
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
    if (subscription != null) {
      subscription.close();
    }
  }
}
