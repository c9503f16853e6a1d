// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.HangingQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A device that does not answer: readers go, and what it may still write to stays. */
final class HungReadTest {
  private static final int LENGTH = 4 << 20;
  private static final byte UNTOUCHED = 0x5a;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, Integer.MAX_VALUE);
  private final AtomicBoolean hangs = new AtomicBoolean(true);
  private final AtomicBoolean never = new AtomicBoolean();
  private final List<HangingQueue> queues = new ArrayList<>();

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  /** The first queue hangs, the others do not. */
  private HangingQueue oneThatHangs() {
    queues.add(new HangingQueue(queues.isEmpty() ? hangs : never));
    return queues.get(queues.size() - 1);
  }

  private static void assertRefused(ReadFixture fixture, FallbackReason reason) throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      FallbackException refusal =
          catchThrowableOfType(
              FallbackException.class, () -> reader.read(0, new byte[LENGTH], 0, LENGTH));
      assertThat(refusal.reason()).isEqualTo(reason);
    }
  }

  private static void assertReads(ReadFixture fixture) throws Exception {
    byte[] got = new byte[LENGTH];
    try (ExtentReader reader = fixture.reader()) {
      reader.read(0, got, 0, LENGTH);
    }
    assertThat(got).isEqualTo(fixture.block.bytes);
  }

  private static void awaitNothingLent(ReadFixture fixture) {
    await()
        .untilAsserted(
            () -> {
              assertThat(fixture.readAheads.abandoned()).isZero();
              assertThat(fixture.readAheads.lentQueues()).isZero();
              assertThat(fixture.windows.lentBytes()).isZero();
            });
  }

  @Test
  void memoryOfAHungReadIsNobodysUntilItHasEnded() throws Exception {
    // So little of it that the next reader could have it only from the first.
    ReadFixture fixture = new ReadFixture(block, 512, 2 << 20, this::oneThatHangs);
    assertRefused(fixture, FallbackReason.DEVICE_TIMEOUT);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.DEVICE_TIMEOUT);
    assertThat(fixture.readAheads.abandoned()).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isPositive();

    fixture.maps.then(block.map(fixture.clock));
    assertRefused(fixture, FallbackReason.BUFFERS_EXHAUSTED);

    hangs.set(false);
    awaitNothingLent(fixture);
    assertReads(fixture);
    awaitNothingLent(fixture);
  }

  @Test
  void lateBytesDoNotReachTheCallersMemory() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 64 << 20, this::oneThatHangs);
    ByteBuffer target = ByteBuffer.allocateDirect(LENGTH + 4096).alignedSlice(4096);
    for (int i = 0; i < LENGTH; i++) {
      target.put(i, UNTOUCHED);
    }
    try (ExtentReader reader = fixture.reader()) {
      assertThat(
              catchThrowableOfType(FallbackException.class, () -> reader.read(0, target, 0, LENGTH))
                  .reason())
          .isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    }
    hangs.set(false);
    awaitNothingLent(fixture);
    assertThat(fixture.device.reads()).as("late reads").isPositive();
    for (int i = 0; i < LENGTH; i++) {
      assertThat(target.get(i)).isEqualTo(UNTOUCHED);
    }
  }

  @Test
  void whatIsReadAheadOfAClosedReaderIsKept() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 64 << 20, this::oneThatHangs);
    hangs.set(false);
    try (ExtentReader reader = fixture.reader()) {
      reader.read(0, new byte[1 << 20], 0, 1 << 20);
      hangs.set(true);
      reader.read(1 << 20, new byte[64], 0, 64); // which is here, and begins what comes behind
      reader.read((1 << 20) + 64, new byte[64], 0, 64);
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    }
    assertThat(fixture.windows.lentBytes()).isPositive();
    assertThat(fixture.readAheads.abandoned()).isEqualTo(1);
    hangs.set(false);
    awaitNothingLent(fixture);
  }

  @Test
  void hungQueuesAreNotMissedByOthers() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 1L << 30, () -> new HangingQueue(hangs));
    MappedReplica replica =
        MappedReplica.of(
            block.map(fixture.clock), fixture.maps, fixture.device, true, LENGTH, 1 << 20);
    for (int i = 0; i < ReadAheadPool.MAX_QUEUES; i++) {
      ReadAhead ahead = fixture.readAheads.borrow(fixture.clock);
      ahead.begin(replica, 64 << 10);
      fixture.readAheads.giveBack(ahead);
    }
    assertThat(fixture.readAheads.abandoned()).isEqualTo(ReadAheadPool.MAX_QUEUES);
    assertThat(fixture.readAheads.borrow(fixture.clock).hasQueue()).isTrue();
  }

  /**
   * As many as are lent and put aside hang; who comes then is refused, and reads by no other way.
   */
  @Test
  void readersOfADeviceThatHangsForLongDoNotReadPastTheQueues() throws Exception {
    AtomicLong now = new AtomicLong();
    LongSupplier passing = () -> now.addAndGet(ReadAheadPool.MAX_WAIT.toNanos() / 2);
    ReadPools pools =
        ReadPools.lendingBy(
            256 << 20,
            windows -> new ReadAheadPool(windows, 0, () -> new HangingQueue(hangs), passing));
    ReadFixture host = new ReadFixture(block, 512, pools);
    for (int i = 0; i < 2 * ReadAheadPool.MAX_QUEUES + 5; i++) {
      host.maps.then(block.map(host.clock));
      ExtentReader reader = host.reader();
      FallbackReason reason =
          catchThrowableOfType(
                  FallbackException.class, () -> reader.read(4096, new byte[4096], 0, 4096))
              .reason();
      assertThat(reason)
          .as("reader %s", i)
          .isEqualTo(
              i < 2 * ReadAheadPool.MAX_QUEUES
                  ? FallbackReason.DEVICE_TIMEOUT
                  : FallbackReason.BUFFERS_EXHAUSTED);
    }
    assertThat(host.device.reads()).isZero();
    hangs.set(false);
    awaitNothingLent(host);
  }

  @Test
  void interruptedReaderBeginsNoRead() throws Exception {
    ReadFixture fixture = new ReadFixture(block, 512, 64 << 20, this::oneThatHangs);
    Thread.currentThread().interrupt();
    assertRefused(fixture, FallbackReason.INTERRUPTED);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(fixture.maps.rejections()).isEmpty();
    assertThat(fixture.device.reads()).isZero();
    hangs.set(false);
    assertReads(fixture);
  }
}
