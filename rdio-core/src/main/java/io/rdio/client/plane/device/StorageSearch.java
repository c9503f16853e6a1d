// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.time.MonotonicClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which device has the storage of an id, and in which directory. Looks at all ext4 devices of the
 * host once; again when an id is not found, but not sooner than {@value #RETRY_SECONDS} s later.
 * Safe for any number of threads.
 */
final class StorageSearch {
  static final long RETRY_SECONDS = 10;

  private final LocalVolumes volumes;
  private final MonotonicClock clock;
  private final DeviceCounters counters;
  private final Map<String, LocatedStorage> found = new ConcurrentHashMap<>();

  // Written under the lock.
  private List<LocatedStorage> all = List.of();
  private List<String> troubles = List.of();
  private @Nullable Long searchedAt;

  StorageSearch(LocalVolumes volumes, MonotonicClock clock, DeviceCounters counters) {
    this.volumes = volumes;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * The storage of an id.
   *
   * @throws FallbackException DEVICE_NOT_FOUND with what was found instead, DEVICE_AMBIGUOUS
   */
  LocatedStorage find(String storageId) throws FallbackException {
    LocatedStorage known = found.get(storageId);
    return known != null ? known : search(storageId);
  }

  /** Forgets a storage that was found where it is not any more. */
  void forget(LocatedStorage storage) {
    found.remove(storage.storageId(), storage);
  }

  private synchronized LocatedStorage search(String storageId) throws FallbackException {
    if (searchedAt == null
        || clock.nanos() - searchedAt > TimeUnit.SECONDS.toNanos(RETRY_SECONDS)) {
      searchAll();
      searchedAt = clock.nanos();
    }
    List<LocatedStorage> matches =
        all.stream().filter(storage -> storage.storageId().equals(storageId)).toList();
    if (matches.isEmpty()) {
      throw new FallbackException(
          FallbackReason.DEVICE_NOT_FOUND,
          "no ext4 device of this host has storage " + storageId + troubles);
    }
    if (matches.size() > 1) {
      throw new FallbackException(
          FallbackReason.DEVICE_AMBIGUOUS,
          "storage "
              + storageId
              + " is on "
              + matches.get(0).identity()
              + " and on "
              + matches.get(1).identity());
    }
    found.put(storageId, matches.get(0));
    return matches.get(0);
  }

  private void searchAll() throws FallbackException {
    List<LocatedStorage> storages = new ArrayList<>();
    List<String> failed = new ArrayList<>();
    for (BlockDevice device : volumes.open()) {
      try {
        LiveVolume live = LiveVolume.open(device, clock, counters);
        Moment<List<StorageScan.Found>> scan =
            Moment.of(live, "storage directories", StorageScan::all);
        for (StorageScan.Found each : scan.found()) {
          storages.add(new LocatedStorage(live, each.storageId(), each.path()));
        }
      } catch (FallbackException e) {
        if (e.reason() == FallbackReason.INTERRUPTED) {
          throw e;
        }
        failed.add(device.name() + ": " + e.reason() + ", " + e.detail());
      }
    }
    all = storages;
    troubles = failed;
  }
}
