// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.time.MonotonicClock;
import java.util.Optional;

/**
 * The guard of a map that was read from the device: it looks at the journal behind each run of I/O.
 *
 * <p>Invariant: at {@code provedAt}, a position of the journal, both files were as the footprint
 * has them. Time alone never makes it fail. Thread-safe. Unlike guards that go by memory, {@link
 * #after} reads two blocks of the device, or waits for somebody who does.
 */
class DeviceGuard implements Guard {
  private static final int OBJECT_BYTES = 40;

  private final LiveVolume live;
  private final OpenVolume opened;
  private final Footprint footprint;
  private volatile long provedAt;
  private volatile boolean failed;

  /**
   * @param opened the mount that the footprint was read in
   * @param provedAt position that the journal had caught up to before
   */
  DeviceGuard(LiveVolume live, OpenVolume opened, Footprint footprint, long provedAt) {
    this.live = live;
    this.opened = opened;
    this.footprint = footprint;
    this.provedAt = provedAt;
  }

  /** {@inheritDoc} It is the one that the map was read from, and no other. */
  @Override
  public BlockDevice resolve(FileMap map, DeviceDirectory devices) throws FallbackException {
    live.device().requireAnswering();
    return live.device();
  }

  @Override
  public void before(FileMap map, BlockDevice device, long nowNanos) throws FallbackException {
    if (!isValid(nowNanos)) {
      throw expired(map, "before the read");
    }
  }

  /** {@inheritDoc} R1: the look begins when the last byte has come. */
  @Override
  public void after(FileMap map, BlockDevice device, MonotonicClock clock)
      throws FallbackException {
    if (!isProvedAnew()) {
      throw expired(map, "during the read");
    }
  }

  private boolean isProvedAnew() throws FallbackException {
    OpenVolume now;
    try {
      now = look();
    } catch (FallbackException e) {
      // Who was interrupted does not know, and the others who read by the map may: what they have
      // found meanwhile stays.
      if (e.reason() != FallbackReason.INTERRUPTED) {
        failed = true;
      }
      throw e;
    }
    return isProvedAt(now);
  }

  OpenVolume look() throws FallbackException {
    return live.look();
  }

  LiveVolume live() {
    return live;
  }

  /**
   * Whether both files are still what they were, by a look that somebody took. Once they are not,
   * or nobody can say, this fails for good.
   *
   * @param now what was looked at; empty if that failed
   */
  final boolean isProvedBy(Optional<OpenVolume> now) {
    try {
      if (now.isPresent()) {
        return isProvedAt(now.get());
      }
    } catch (FallbackException e) {
      return false; // by then it has failed
    }
    failed = true;
    return false;
  }

  private boolean isProvedAt(OpenVolume now) throws FallbackException {
    boolean proved = false;
    try {
      proved = isUnchangedAt(now);
    } finally {
      if (!proved) {
        failed = true;
      }
    }
    return !failed;
  }

  private boolean isUnchangedAt(OpenVolume now) throws FallbackException {
    if (now != opened) {
      return false;
    }
    long position = now.journal().position();
    if (!footprint.isUntouched(now, provedAt)) {
      live.counters().comparisons.increment();
      if (!isUnchanged(now, footprint)) {
        live.counters().filesChanged.increment();
        return false;
      }
    }
    provedAt = position;
    return true;
  }

  /** R3. */
  boolean isUnchanged(OpenVolume now, Footprint was) throws FallbackException {
    return was.isUnchanged(now, live.device().name());
  }

  private static FallbackException expired(FileMap map, String when) {
    return new FallbackException(
        FallbackReason.LEASE_EXPIRED,
        map.block()
            + " on "
            + map.storageId()
            + ": its files changed, or its map was dropped, "
            + when);
  }

  /** Fails from now on. */
  void fail() {
    failed = true;
  }

  @Override
  public boolean isValid(long nowNanos) {
    return !failed && live.current() == opened;
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
    return OBJECT_BYTES + footprint.heapBytes();
  }
}
