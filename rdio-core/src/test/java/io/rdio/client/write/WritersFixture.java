// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.DataNodeId;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.fence.AgentRegistration;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.wire.SlotAsk;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * {@link BlockWriters} with DataNodes, devices and clocks in memory. Time passes when a test says
 * so, and what their two threads would do by then is done in between.
 */
public final class WritersFixture implements AutoCloseable {
  public static final int UNIT = 4096;

  /** Longer than any test takes. */
  static final Duration DEVICE_TIMEOUT = Duration.ofMinutes(2);

  static final CommitTries.Terms TRIES =
      new CommitTries.Terms(
          Duration.ofSeconds(60),
          Duration.ofSeconds(5),
          Duration.ofNanos(100),
          Duration.ofNanos(1000),
          Duration.ofSeconds(20));

  public final BlockWriters writers;
  public final FakeWritePlane plane;
  final Map<DataNodeId, FakeDataNode> nodes = new ConcurrentHashMap<>();
  final ManualClock terms = new ManualClock();
  final AtomicLong boot = new AtomicLong(1L << 40);
  final LongAdder failures = new LongAdder();
  final SlotDevices devices;
  final FakeDirectory directory = new FakeDirectory(nodes.values());
  final FakeRegistration registration = new FakeRegistration();

  /** What the kernel says of how late a write may be. */
  volatile SlotDevices.Lateness lateness = (node, most) -> {};

  /** False while the thread that renews is held up. */
  boolean renews = true;

  public WritersFixture() {
    this(DEVICE_TIMEOUT);
  }

  /**
   * @param deviceTimeout how long a device is waited for: by the clock of this machine
   */
  WritersFixture(Duration deviceTimeout) {
    devices =
        new SlotDevices(
            directory,
            host(this::open, (node, most) -> lateness.require(node, most), registration),
            terms,
            deviceTimeout);
    plane = new FakeWritePlane(nodes, terms);
    writers = new BlockWriters(plane, devices, new LeaseClock(terms, boot::get), TRIES, failures);
  }

  /** One of devices whose close waits for nothing, so that whoever asks for it may do it. */
  static SlotDevices.Host host(
      SlotDevices.Opening opening, SlotDevices.Lateness lateness, AgentRegistration registration) {
    return new SlotDevices.Host(opening, lateness, registration, Runnable::run);
  }

  private SlotDevice open(DevicePlace place, DeviceIdentity identity) throws FallbackException {
    for (FakeDataNode node : nodes.values()) {
      if (node.device.equals(identity)) {
        return node.open();
      }
    }
    throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, identity.toString());
  }

  /** A DataNode more. */
  public FakeDataNode dataNode(String host) {
    return dataNode(host, UNIT);
  }

  FakeDataNode dataNode(String host, int unit) {
    FakeDataNode node = new FakeDataNode(host, unit, boot::get);
    nodes.put(node.id, node);
    return node;
  }

  static BlockKey block(long id) {
    return new BlockKey("BP-1", id, 1001);
  }

  static SlotAsk ask(long id) {
    return new SlotAsk(block(id), "DS-1", 1 << 20, ChecksumSpec.Type.CRC32C, 512, 0);
  }

  BlockWriter open(FakeDataNode node, long id) throws FallbackException {
    return writers.open(node.id, new byte[] {1}, ask(id));
  }

  /** Why something is refused. */
  static FallbackReason reasonOf(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal.reason();
  }

  /** A DataNode is told of one lease: whether each write by it was answered. */
  void requireToldQuiet(FakeDataNode node, boolean quiet) {
    tend();
    assertThat(node.aborted).hasSize(1);
    assertThat(node.aborted.get(0).quiet()).isEqualTo(quiet);
  }

  /** Bytes by chance, in memory as a writer wants it. */
  static ByteBuffer bytes(int length, long seed) {
    assertThat(NativeLibrary.availability().isAvailable()).isTrue();
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    ByteBuffer memory = ByteBuffer.allocateDirect(length + 2 * UNIT).alignedSlice(UNIT);
    return memory.put(0, content).limit(length);
  }

  static long address(ByteBuffer memory) {
    return DirectReader.addressOf(memory);
  }

  static byte[] array(ByteBuffer memory) {
    byte[] bytes = new byte[memory.limit()];
    memory.get(0, bytes);
    return bytes;
  }

  /** Both clocks go on, and nobody does anything meanwhile. */
  void standStill(Duration time) {
    terms.advance(time);
    boot.addAndGet(time.toNanos());
  }

  /** Time passes, and both threads of the writers do what is due, each when it is. */
  void run(Duration time) {
    long left = time.toNanos();
    while (left > 0) {
      long pause = tend();
      long step = Math.max(1, Math.min(left, pause));
      standStill(Duration.ofNanos(step));
      left -= step;
      requireAlive();
    }
    tend();
  }

  /** Time passes while the thread that renews waits for an answer. */
  void passWithoutRenewals(Duration time) {
    boolean before = renews;
    renews = false;
    run(time);
    renews = before;
  }

  /** What the threads would do now; nanoseconds until they are due again. */
  long tend() {
    long ends = writers.endDue();
    long renewal = Long.MAX_VALUE;
    if (renews) {
      renewal = writers.renewDue();
      while (renewal <= 0) {
        renewal = writers.renewDue();
      }
      ends = writers.endDue();
    }
    return Math.min(ends, renewal);
  }

  /** The timer of no lease has killed this process (W9). */
  void requireAlive() {
    for (FakeDataNode node : nodes.values()) {
      for (MemorySlotDevice device : node.opened) {
        for (MemorySlotDevice.Lease lease : device.leases) {
          if (lease.kills() || lease.wasLate) {
            throw new AssertionError("killed by the timer of a lease on " + node.id);
          }
        }
      }
    }
  }

  @Override
  public void close() {
    writers.close();
    assertThat(failures.sum()).isZero();
    assertThat(plane.violations).isEmpty();
  }
}
