// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.time.MonotonicClock;
import java.util.function.Consumer;

/**
 * A DataNode's storage on a device that the caller has opened: what the plane does with it, one
 * step at a time, for who measures that. It gives no maps. Safe for any number of threads.
 */
public final class MeasuredStorage {
  private final LiveVolume live;
  private final LocatedStorage storage;

  private MeasuredStorage(LiveVolume live, LocatedStorage storage) {
    this.live = live;
    this.storage = storage;
  }

  /**
   * Opens what a device has, and looks for a storage on it.
   *
   * @param device that metadata is read from, by the thread that asks
   * @throws FallbackException DEVICE_NOT_FOUND if there is none, or as {@link DevicePlane#maps}
   *     refuses a file system
   */
  public static MeasuredStorage find(
      BlockDevice device, StorageOwners owners, MonotonicClock clock, DeviceCounters counters)
      throws FallbackException {
    LiveVolume live = LiveVolume.open(device, clock, counters);
    StorageScan.Report report = StorageScan.all(live, owners, clock);
    if (report.found().isEmpty()) {
      throw new FallbackException(
          FallbackReason.DEVICE_NOT_FOUND,
          "there is no storage on " + device.name() + " " + report.skipped());
    }
    StorageScan.Found first = report.found().get(0);
    return new MeasuredStorage(
        live, new LocatedStorage(live, first.storageId(), first.path(), owners));
  }

  /**
   * Takes a look at the journal, or waits for one that serves as well.
   *
   * @throws FallbackException what the look came to
   */
  public void look() throws FallbackException {
    live.look();
  }

  /**
   * Finds a replica, as for a map.
   *
   * @param ended told of each step when it has ended, on the caller's thread
   * @return bytes of the block file
   * @throws FallbackException why there would be no map
   */
  public long resolve(BlockKey block, Consumer<ResolveStep> ended) throws FallbackException {
    return storage.resolve(block, ended).found().blockLength();
  }

  /** Lets go of all blocks of metadata that are in memory. */
  public void forget() {
    live.current().blocks().forget();
  }
}
