// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Which map is read, what happens when it is no good, and closing at any time. */
class ExtentReaderTest {
  private static final int LENGTH = 1 << 20;
  private static final int THREADS = 4;

  private final TestBlock block =
      new TestBlock(3, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 100_000);
  private final ReadFixture fixture = new ReadFixture(block, 4096);

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  @Test
  void deviceErrorIsMadeGoodByAnotherMapAndTheDeviceLookedForAnew() throws Exception {
    fixture.maps.then(block.map(fixture.clock));
    AtomicInteger failures = new AtomicInteger(1);
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            if (failures.getAndDecrement() > 0) {
              throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "injected");
            }
          }
        });
    byte[] got = new byte[LENGTH];
    fixture.reader().read(0, got, 0, LENGTH);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.DEVICE_IO_ERROR);
    assertThat(fixture.devices.forgotten()).isEqualTo(1);
  }

  /** Else the device could not be closed, and its name would not be free for another one. */
  @Test
  void whatIsIdleHoldsNoReplica() throws Exception {
    byte[] got = new byte[LENGTH];
    try (ExtentReader reader = fixture.reader()) {
      reader.read(0, got, 0, LENGTH);
    }
    ReadAhead idle = fixture.readAheads.borrow(fixture.clock);
    assertThat(idle.lastReadBy()).isNull();
    fixture.readAheads.giveBack(idle);
  }

  @Test
  void secondFailureIsTheAnswer() throws Exception {
    fixture.maps.then(block.map(fixture.clock)).then(block.map(fixture.clock));
    ExtentReader reader = fixture.reader();
    block.image[block.placeOf(77)] ^= 4;
    assertRefused(FallbackReason.CHECKSUM_MISMATCH, () -> reader.read(0, new byte[100], 0, 100));
    assertThat(fixture.maps.rejections())
        .containsExactly(FallbackReason.CHECKSUM_MISMATCH, FallbackReason.CHECKSUM_MISMATCH);
  }

  @Test
  void replicaOnADeviceThatThisHostDoesNotSeeIsPassedOver() throws Exception {
    DeviceIdentity elsewhere = new DeviceIdentity("ext4", new UUID(9, 9), 4096, "", 0, "/dev/x");
    ReadFixture host = withFirstMap(elsewhere, block.blockExtents, block.bytes.length);
    byte[] got = new byte[10];
    host.reader().read(5, got, 0, 10);
    assertThat(got).isEqualTo(block.range(5, 10));
    assertThat(host.maps.rejections()).containsExactly(FallbackReason.DEVICE_NOT_FOUND);
  }

  @Test
  void shorterReplicaThanTheReaderExpectsIsPassedOver() throws Exception {
    ReadFixture host = withFirstMap(block.identity, block.blockExtents, LENGTH - 1);
    host.reader();
    assertThat(host.maps.rejections()).containsExactly(FallbackReason.REPLICA_CHANGED);
  }

  @Test
  void mapWithTooFewExtentsIsPassedOver() throws Exception {
    ExtentList half = ExtentList.of(new long[] {0}, new long[] {LENGTH / 2});
    ReadFixture host = withFirstMap(block.identity, half, LENGTH);
    host.reader();
    assertThat(host.maps.rejections()).containsExactly(FallbackReason.METADATA_PLANE_ERROR);
  }

  @Test
  void extentBeyondTheDeviceIsNeverSentToIt() throws Exception {
    ExtentList beyond = ExtentList.of(new long[] {block.image.length - 4096}, new long[] {LENGTH});
    ReadFixture host = withFirstMap(block.identity, beyond, LENGTH);
    byte[] got = new byte[LENGTH];
    host.reader().read(0, got, 0, LENGTH); // MemoryDevice fails the test if asked
    assertThat(got).isEqualTo(block.bytes);
    assertThat(host.maps.rejections()).containsExactly(FallbackReason.DEVICE_MISMATCH);
  }

  private ReadFixture withFirstMap(DeviceIdentity device, ExtentList extents, long length)
      throws FallbackException {
    ReadFixture host = new ReadFixture(block, 4096);
    FileMap good = host.maps.get(block.request);
    Lease.of(good).end();
    Lease lease = Lease.of(block.map(host.clock));
    host.maps.then(block.map(device, length, extents, lease)).then(block.map(host.clock));
    return host;
  }

  @Test
  void closedReaderRefusesWhatItHasNotInMemory() throws Exception {
    ExtentReader reader = fixture.reader();
    reader.close();
    assertRefused(FallbackReason.ACCESSOR_CLOSED, () -> reader.read(0, new byte[1], 0, 1));
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void closeDuringAReadLeavesNoWindowBehind() throws Exception {
    ExtentReader reader = fixture.reader();
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeLeaseRecheck(FileMap map) {
            reader.close(); // finds no window: the reading thread has it
          }
        });
    byte[] got = new byte[100];
    reader.read(0, got, 0, 100);
    assertThat(got).isEqualTo(block.range(0, 100));
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @RepeatedTest(20)
  void manyThreadsReadTheBlocksBytesWhileItIsClosed() throws Exception {
    ExtentReader reader = fixture.reader();
    CountDownLatch running = new CountDownLatch(THREADS);
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<Integer>> readers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int seed = i;
        readers.add(pool.submit(() -> readUntilClosed(reader, new Random(seed), running)));
      }
      assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
      reader.close();
      reader.close();
      for (Future<Integer> count : readers) {
        assertThat(count.get(30, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** Half of them sequentially, and so by turns with the kept window. */
  private int readUntilClosed(ExtentReader reader, Random random, CountDownLatch running) {
    int count = 0;
    int next = 0;
    while (true) {
      int from = random.nextBoolean() && next < LENGTH - 8192 ? next : random.nextInt(LENGTH / 2);
      int length = 1 + random.nextInt(8192);
      byte[] got = new byte[length];
      try {
        reader.read(from, got, 0, length);
      } catch (FallbackException e) {
        assertThat(e.reason()).isEqualTo(FallbackReason.ACCESSOR_CLOSED);
        running.countDown();
        return count;
      }
      assertThat(got).isEqualTo(block.range(from, length));
      next = from + length;
      if (++count == 50) {
        running.countDown();
      }
    }
  }

  private static void assertRefused(FallbackReason reason, ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            FallbackException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }
}
