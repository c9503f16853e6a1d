// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.SharedLook;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.journal.LogEnd;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A file system that another host writes to, followed by its journal. Safe for any number of
 * threads; one of them at a time looks, for all that wait.
 */
class LiveVolume {
  /** A log that has no proper end is looked at again for so long (R2). */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final BlockDevice device;
  private final BlockDevice metadata;
  private final MonotonicClock clock;
  private final DeviceCounters counters;
  private final SharedLook<OpenVolume> looks;

  /** Written by one look at a time. */
  private volatile OpenVolume current;

  /**
   * @param device that data is read from
   * @param metadata the same device as metadata is read from it: it gives a read up that takes too
   *     long
   * @param current as the device has it now
   */
  LiveVolume(
      BlockDevice device,
      BlockDevice metadata,
      OpenVolume current,
      MonotonicClock clock,
      DeviceCounters counters) {
    this.device = device;
    this.metadata = metadata;
    this.current = current;
    this.clock = clock;
    this.counters = counters;
    // Each of its reads has the device's own deadline.
    this.looks = new SharedLook<>(device.name(), this::lookFirst, Duration.ZERO, this::count);
  }

  /**
   * Opens what a device has.
   *
   * @throws FallbackException as {@link OpenVolume#open} says
   */
  static LiveVolume open(BlockDevice device, MonotonicClock clock, DeviceCounters counters)
      throws FallbackException {
    return open(device, device, clock, counters);
  }

  /** As {@link #open(BlockDevice, MonotonicClock, DeviceCounters)}, with two ways to one device. */
  static LiveVolume open(
      BlockDevice device, BlockDevice metadata, MonotonicClock clock, DeviceCounters counters)
      throws FallbackException {
    return new LiveVolume(device, metadata, OpenVolume.open(metadata, counters), clock, counters);
  }

  private void count() {
    counters.looksShared.increment();
  }

  BlockDevice device() {
    return device;
  }

  DeviceCounters counters() {
    return counters;
  }

  /** The file system as it was looked at last. */
  OpenVolume current() {
    return current;
  }

  /**
   * Looks at the journal: all that was committed before this call is known when it returns (R1,
   * R2). A look that began behind this call serves it as well, whoever took it (R7).
   *
   * @return the file system; another object than before if it was mounted since, or has grown
   * @throws FallbackException METADATA_UNREADABLE if the log has no proper end for a second, or the
   *     kernel has noted errors; INTERRUPTED, which says nothing of the volume; or what the device
   *     came to
   */
  OpenVolume look() throws FallbackException {
    device.requireAnswering();
    return looks.look();
  }

  private OpenVolume lookFirst() throws FallbackException {
    counters.looks.increment();
    lookNow();
    current.requireNoErrors(device.name());
    return current;
  }

  private void lookNow() throws FallbackException {
    long since = clock.nanos();
    while (true) {
      String trouble;
      try {
        LogEnd end = current.journal().catchUp();
        boolean mounted = current.journal().isMountedAnew();
        if (mounted || current.journal().isGrown()) {
          current = OpenVolume.open(metadata, counters);
          // Where that failed the next look sees the same again.
          if (mounted) {
            counters.mountsSeen.increment();
          }
          return;
        }
        if (end.isProper()) {
          return;
        }
        trouble = "its log ends by " + end;
      } catch (Ext4Exception e) {
        if (e.kind() != Ext4Exception.Kind.DAMAGED) {
          throw Refusals.ofVolume(device.name(), e);
        }
        trouble = e.getMessage(); // a block that was just being written is not whole
      }
      if (Thread.currentThread().isInterrupted()) {
        throw new FallbackException(FallbackReason.INTERRUPTED, "looking at " + device.name());
      }
      if (clock.nanos() - since > PATIENCE_NANOS) {
        throw new FallbackException(
            FallbackReason.METADATA_UNREADABLE, device.name() + ": " + trouble);
      }
      pause(PAUSE_NANOS);
    }
  }

  /** Lets the writer go on. */
  void pause(long nanos) {
    LockSupport.parkNanos(nanos);
  }
}
