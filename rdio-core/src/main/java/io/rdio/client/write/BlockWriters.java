// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.time.MonotonicClock;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.write.UnregisteredHostException;
import io.rdio.nativeio.DirectReader;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The replicas that this process writes to slots of DataNodes. While a slot is written to, its
 * lease is renewed; one that cannot be renewed is ended before it runs out, for the kernel kills a
 * process that has not done so (W9). Thread-safe.
 */
public final class BlockWriters implements AutoCloseable {
  /** In one call: HDFS may put a replica on another volume than was asked for. */
  private static final int REGISTRATIONS_MAX = 2;

  private final WritePlane plane;
  private final SlotDevices devices;
  private final LeaseClock clock;
  private final HeldLeases held;
  private final CommitTries tries;
  private final CountDownLatch closing = new CountDownLatch(1);

  /**
   * Not started.
   *
   * @param plane who lends slots; it stays the caller's
   * @param devices where they are; closed with this
   * @param clock that the plane's deadlines are on
   * @param commitSilent how long the plane waits at most for a commit of which nothing is heard
   * @param failures counts what threw in the threads that look after leases
   */
  public BlockWriters(
      WritePlane plane,
      SlotDevices devices,
      MonotonicClock clock,
      Duration commitSilent,
      LongAdder failures) {
    this(
        plane,
        devices,
        new LeaseClock(clock, DirectReader::bootTimeNanos),
        CommitTries.Terms.usual(commitSilent),
        failures);
  }

  BlockWriters(
      WritePlane plane,
      SlotDevices devices,
      LeaseClock clock,
      CommitTries.Terms tries,
      LongAdder failures) {
    this.plane = WriterFaultInjector.get().port(WritePlane.class, plane);
    this.devices = devices;
    this.clock = clock;
    this.held = new HeldLeases(this.plane, devices, clock, failures);
    this.tries = new CommitTries(this.plane, tries, clock.terms(), closing);
  }

  /** How long a device may take for an answer before who waits for it gives it up. */
  Duration deviceTimeout() {
    return devices.timeout();
  }

  /** What is said of a target whose device has had that time. */
  FallbackException late(String what) {
    return new FallbackException(
        FallbackReason.DEVICE_TIMEOUT,
        what
            + ": its device has not answered within "
            + Setting.WRITE_TIMEOUT
            + ", "
            + deviceTimeout().toMillis()
            + " ms");
  }

  /** Starts the threads that look after leases. To be called before anything is opened. */
  public void start() {
    held.start();
  }

  /**
   * Asks a DataNode for a slot for one replica, finds its device on this host, and makes sure that
   * the slot is there (W12).
   *
   * <p>Where the DataNode lends to registered hosts alone, this host is registered first (W8).
   *
   * @param token of mode WRITE, in the form of {@code Token.write}; empty where blocks have none
   * @throws FallbackException what {@link WritePlane#allocate} refuses with; why the device cannot
   *     be used, or this host not be registered with it; DEVICE_MISMATCH if the slot is not there;
   *     LEASE_EXPIRED; AGENT_BUSY or AGENT_UNAVAILABLE if this takes no more. Then the DataNode is
   *     told that the slot is not wanted.
   */
  public BlockWriter open(DataNodeId target, byte[] token, SlotAsk ask) throws FallbackException {
    SlotAsk named = ask.by(devices.registrar().name());
    for (int left = REGISTRATIONS_MAX; ; left--) {
      try (HeldLeases.Room room = held.takeRoom()) {
        long asked = devices.registrar().registrations();
        WriteSlot slot;
        try {
          slot = plane.allocate(target, token, named);
        } catch (UnregisteredHostException e) {
          if (left == 0) {
            throw e;
          }
          register(e, asked);
          continue;
        }
        return open(target, slot, asked, room);
      }
    }
  }

  /** One that was lent in vain is not asked for again: the DataNode has the block's replica yet. */
  private BlockWriter open(DataNodeId target, WriteSlot slot, long asked, HeldLeases.Room room)
      throws FallbackException {
    try {
      return opened(target, slot, asked, room);
    } catch (UnregisteredHostException e) {
      register(e, asked); // for the next one
      throw e;
    }
  }

  private void register(UnregisteredHostException need, long asked) throws FallbackException {
    try {
      devices.register(need, asked, held);
    } finally {
      held.soon();
    }
  }

  private BlockWriter opened(DataNodeId target, WriteSlot slot, long asked, HeldLeases.Room room)
      throws FallbackException {
    WriteLease lease = null;
    boolean isOpen = false;
    try {
      lease = lease(target, slot);
      room.add(lease);
      lease.requireValid();
      devices.registrar().requireOf(slot.grant(), asked);
      StampCheck.require(lease);
      isOpen = true;
      return new BlockWriter(lease, held, tries);
    } finally {
      if (!isOpen) {
        giveUp(target, slot, lease);
      }
    }
  }

  private WriteLease lease(DataNodeId target, WriteSlot slot) throws FallbackException {
    SharedDevice device = devices.take(slot.grant());
    boolean isNoted = false;
    try {
      WriteLease lease = WriteLease.of(target, slot, devices, device, clock);
      isNoted = true;
      return lease;
    } finally {
      if (!isNoted) {
        device.giveBack();
      }
    }
  }

  private void giveUp(DataNodeId target, WriteSlot slot, @Nullable WriteLease lease) {
    if (lease == null) {
      held.notWanted(target, slot);
    } else {
      lease.giveUp();
      held.gaveUp(lease);
    }
  }

  /** For tests, which have no threads for it: renews and tells what is due. */
  long renewDue() {
    return held.renewDue();
  }

  /** For tests: ends what is due to be ended. */
  long endDue() {
    return held.endDue();
  }

  /**
   * Begins no block any more, gives up all that are being written and tells their DataNodes, within
   * some seconds; those whose commit is under way are left to it.
   */
  @Override
  public void close() {
    closing.countDown();
    held.close();
    devices.close();
  }
}
