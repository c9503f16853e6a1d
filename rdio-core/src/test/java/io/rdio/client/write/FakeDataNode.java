// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.rdio.client.plane.DataNodeId;
import io.rdio.client.plane.WritePlane.Ended;
import io.rdio.client.plane.WriteSlot;
import io.rdio.core.FallbackException;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.wire.SlotGrant;
import io.rdio.core.write.SlotStamp;
import io.rdio.core.write.UnregisteredHostException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A DataNode that lends slots on a device in memory, and says what its test wants it to. */
public final class FakeDataNode {
  /** Bytes of the longest block. */
  public static final int SLOT_BYTES = 256 << 10;

  /** More are lent at the places of the first ones: for tests that do not look at what is there. */
  static final int SLOTS = 12;

  static final long IO_MILLIS = 60_000;

  /** What is not of the process in a key of its host. */
  private static final long KEY_COUNT = 4095;

  public final DataNodeId id;

  /** Refuses to lend; null: it lends. */
  public volatile @Nullable FallbackException refusal;

  /** Fails the writes of its device from now on. */
  public volatile boolean failsWrites;

  /** What commits are answered with, one after the other; behind them all succeed. */
  public final Queue<FallbackException> commitRefusals = new ArrayDeque<>();

  /** Aborts that it was told of. */
  public final List<Ended> aborted = new CopyOnWriteArrayList<>();

  final List<Integer> renewals = new CopyOnWriteArrayList<>();
  final List<Lent> lent = new CopyOnWriteArrayList<>();
  final List<Integer> commits = new CopyOnWriteArrayList<>();
  final List<MemorySlotDevice> opened = new CopyOnWriteArrayList<>();
  final DeviceIdentity device;
  final DevicePlace place;
  final ByteBuffer content;

  /** Called when its device is opened. */
  volatile Runnable inOpen = () -> {};

  /** What it says that it has heard of too late. */
  volatile Predicate<Ended> hearsLate = ended -> false;

  /** Thrown by a renewal, and by an abort. */
  volatile @Nullable FallbackException silence;

  /** Whether it renews nothing. */
  volatile boolean endsLeases;

  /** Thrown instead of a device. */
  volatile @Nullable FallbackException noDevice;

  /** The extent of new slots that gets no stamp; -1: all get one. */
  volatile int wrongStamp = -1;

  volatile long leaseMillis = 30_000;

  /** What its device has of registered hosts, where it lends to none but those (W8). */
  volatile @Nullable FakeRegistration fence;

  /** By which it lends no more, for it will take that away from its host; 0: there is none. */
  volatile long doomedKey;

  private final int unit;
  private final LongSupplier boot;

  /** A slot. */
  record Lent(TokenedBlock block, SlotGrant grant, long deadlineNanos) implements WriteSlot {}

  FakeDataNode(String host, int unit, LongSupplier boot) {
    this.id = new DataNodeId(host, 9866, 9864);
    this.unit = unit;
    this.boot = boot;
    this.content = ByteBuffer.allocate(SLOTS * (SLOT_BYTES + 2 * unit));
    this.device =
        new DeviceIdentity(
            "ext4",
            UUID.nameUUIDFromBytes(host.getBytes(US_ASCII)),
            content.capacity(),
            "uuid." + host,
            0,
            host);
    this.place = new DevicePlace(Path.of("/dev", host), 0);
  }

  synchronized Lent lend(TokenedBlock block, SlotAsk ask, long deadline) throws FallbackException {
    FallbackException no = refusal;
    if (no != null) {
      throw no;
    }
    boolean isFenced = isFencedFor(ask.hostKey());
    int number = lent.size();
    ExtentList extents = extents(number % SLOTS);
    SlotGrant grant =
        new SlotGrant(
            1,
            number + 1,
            leaseMillis,
            IO_MILLIS,
            ask.block(),
            device,
            "DS-1",
            extents,
            number,
            77,
            unit,
            isFenced);
    for (int i = 0; i < extents.count(); i++) {
      if (i != wrongStamp) {
        ByteBuffer stamp = ByteBuffer.allocate(unit);
        new SlotStamp(number, 77, i, unit).encode(stamp);
        content.put((int) extents.physical(i), stamp.array());
      }
    }
    Lent slot = new Lent(block, grant, deadline);
    lent.add(slot);
    return slot;
  }

  private boolean isFencedFor(long process) throws UnregisteredHostException {
    FakeRegistration registered = fence;
    if (registered == null) {
      return false;
    }
    Long key = registered.keys.get(device.wwid());
    if (key == null || (key & ~KEY_COUNT) != process) {
      throw new UnregisteredHostException(device, IO_MILLIS, "not registered");
    }
    if (key == doomedKey) {
      throw new UnregisteredHostException(device, IO_MILLIS, key, "will be shut out");
    }
    return true;
  }

  /** Three extents in another order than on the device, and a unit between slots. */
  private ExtentList extents(int number) {
    long start = (long) number * (SLOT_BYTES + 2L * unit);
    long rest = SLOT_BYTES - 3L * unit;
    return ExtentList.of(
        new long[] {start + rest, start, start + rest + 2L * unit},
        new long[] {2L * unit, rest, unit});
  }

  SlotDevice open() throws FallbackException {
    inOpen.run();
    FallbackException no = noDevice;
    if (no != null) {
      throw no;
    }
    MemorySlotDevice open = new MemorySlotDevice(content, boot, () -> failsWrites);
    opened.add(open);
    return open;
  }

  MemorySlotDevice open(int number) {
    return opened.get(number);
  }

  /**
   * The leases in the library that were noted on a slot: one, or none if its device was not opened.
   */
  List<MemorySlotDevice.Lease> leasesOn(WriteSlot slot) {
    List<MemorySlotDevice.Lease> found = new ArrayList<>();
    for (MemorySlotDevice each : opened) {
      for (MemorySlotDevice.Lease lease : each.leases) {
        if (lease.extents.equals(slot.grant().extents())) {
          found.add(lease);
        }
      }
    }
    return found;
  }

  /** The lease in the library that was noted on a slot. */
  MemorySlotDevice.Lease leaseOn(WriteSlot slot) {
    return leasesOn(slot).get(0);
  }

  /** The first bytes of a slot, as they are on the device. */
  public synchronized byte[] written(int number, int length) {
    ExtentList extents = lent.get(number).grant().extents();
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = content.get((int) MemorySlotDevice.place(extents, i));
    }
    return bytes;
  }
}
