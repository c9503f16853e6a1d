// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;

/**
 * The guard of a map of a fenced volume: behind each run of I/O it asks the device whether the
 * fence stands. Time alone never makes it fail. Thread-safe. {@link #after} is a command to the
 * device's target, behind somebody's who sent one before, or waits for theirs; each wait has a
 * deadline: then that run is refused, and the next one asks anew.
 */
final class FencedGuard implements Guard {
  private static final int OBJECT_BYTES = 24;

  private final FencedVolume volume;
  private volatile boolean failed;

  FencedGuard(FencedVolume volume) {
    this.volume = volume;
  }

  FencedVolume volume() {
    return volume;
  }

  @Override
  public BlockDevice resolve(FileMap map, DeviceDirectory devices) throws FallbackException {
    volume.device().requireAnswering();
    return volume.device();
  }

  @Override
  public void before(FileMap map, BlockDevice device, long nowNanos) throws FallbackException {
    if (!isValid(nowNanos)) {
      throw new FallbackException(
          FallbackReason.LEASE_EXPIRED,
          map.block() + " on " + map.storageId() + ": its map was dropped before the read");
    }
  }

  @Override
  public void after(FileMap map, BlockDevice device, MonotonicClock clock)
      throws FallbackException {
    volume.requireStanding();
    before(map, device, clock.nanos());
  }

  /** Fails from now on. */
  void fail() {
    failed = true;
  }

  @Override
  public boolean isValid(long nowNanos) {
    return !failed && !volume.isLost();
  }

  @Override
  public boolean admits(long nowNanos) {
    return isValid(nowNanos);
  }

  @Override
  public long remainingNanos(long nowNanos) {
    return isValid(nowNanos) ? Long.MAX_VALUE : Long.MIN_VALUE;
  }

  /** {@inheritDoc} Nothing has to be renewed. */
  @Override
  public void touch(long nowNanos) {}

  @Override
  public int heapBytes() {
    return OBJECT_BYTES;
  }
}
