// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of a replica accessor as DFSInputStream uses it, on the device and off it. */
class RdioReplicaAccessorTest {
  private static final int LENGTH = 100_001;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  @Test
  void positionAdvancesByWhatIsReturned() throws Exception {
    for (ByteBuffer buffer :
        new ByteBuffer[] {ByteBuffer.allocate(500), ByteBuffer.allocateDirect(500)}) {
      buffer.position(100).limit(400);
      assertThat(open(LENGTH).read(1000, buffer)).isEqualTo(300);
      assertThat(buffer.position()).isEqualTo(400);
      assertThat(buffer.limit()).isEqualTo(400);
      byte[] got = new byte[300];
      buffer.get(100, got);
      assertThat(got).isEqualTo(block.range(1000, 300));
    }
  }

  @Test
  void readIsShortOnlyAtTheEnd() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[LENGTH + 10];
    assertThat(accessor.read(0, got, 3, LENGTH + 7)).isEqualTo(LENGTH);
    assertThat(Arrays.copyOfRange(got, 3, 3 + LENGTH)).isEqualTo(block.bytes);
    ByteBuffer buffer = ByteBuffer.allocate(10);
    assertThat(accessor.read(LENGTH - 1, buffer)).isEqualTo(1);
    assertThat(buffer.position()).isEqualTo(1);
  }

  @Test
  void endAndNothingWantedAreAnsweredWithoutAnError() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    assertThat(accessor.read(LENGTH, new byte[1], 0, 1)).isEqualTo(-1);
    assertThat(accessor.read(LENGTH + 5, ByteBuffer.allocate(1))).isEqualTo(-1);
    assertThat(accessor.read(LENGTH, ByteBuffer.allocate(0))).isZero();
    assertThat(accessor.read(5, new byte[0], 0, 0)).isZero();
  }

  @Test
  void positionalReadEndsWithItsRange() throws Exception {
    RdioReplicaAccessor accessor = open(2000);
    ByteBuffer buffer = ByteBuffer.allocate(1500);
    assertThat(accessor.read(1000, buffer)).isEqualTo(1000);
    assertThat(accessor.read(2000, buffer)).isEqualTo(-1);
    assertThat(buffer.position()).isEqualTo(1000);
  }

  @Test
  void blockWithoutBytesIsAtItsEnd() throws Exception {
    TestBlock empty = new TestBlock(1, 0, ChecksumSpec.Type.CRC32C, 512, 4096, 4096);
    ReadFixture host = new ReadFixture(empty, 512);
    RdioReplicaAccessor accessor =
        RdioReplicaAccessor.open(
            DeviceWays.of(host.context, Detours.NONE),
            new BlockToRead(empty.request, true, 0, dataNodes));
    assertThat(accessor.read(0, new byte[1], 0, 1)).isEqualTo(-1);
  }

  @Test
  void wrongArgumentsAreTheCallersFaultAndNoFallback() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    assertThatThrownBy(() -> accessor.read(0, new byte[5], 3, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> accessor.read(-1, new byte[5], 0, 3))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> accessor.read(0, ByteBuffer.allocate(5).asReadOnlyBuffer()))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThat(accessor.isShortCircuit()).isTrue();
  }

  @Test
  void deviceReadsCountAsShortCircuit() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    accessor.read(0, new byte[10], 0, 10);
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(accessor.isLocal()).isTrue();
    assertThat(accessor.getNetworkDistance()).isZero();
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(10);
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void whatTheDeviceCannotServeADataNodeServesFromThenOn() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    failDevice(new FallbackException(FallbackReason.DEVICE_IO_ERROR, "injected"));
    byte[] got = new byte[LENGTH];
    assertThat(accessor.read(7, got, 0, 1000)).isEqualTo(1000);
    RdioClientFaultInjector.reset();
    ByteBuffer rest = ByteBuffer.wrap(got, 1000, LENGTH - 1000);
    assertThat(accessor.read(1007, rest)).isEqualTo(LENGTH - 1007);

    assertThat(rest.position()).isEqualTo(LENGTH - 7);
    assertThat(Arrays.copyOf(got, LENGTH - 7)).isEqualTo(block.range(7, LENGTH - 7));
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 7+99994");
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(accessor.isLocal()).isFalse();
    assertThat(accessor.getNetworkDistance()).isEqualTo(FakeDataNodes.DISTANCE);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(LENGTH - 7);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    // The map was rejected, no other was to be had: that is why stock HDFS read.
    assertThat(fixture.counters.fallbacks(FallbackReason.METADATA_PLANE_UNREACHABLE)).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void interruptIsPassedOnAsDfsInputStreamWantsIt() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    failDevice(new FallbackException(FallbackReason.INTERRUPTED, "injected"));
    Thread.currentThread().interrupt();
    assertThatExceptionOfType(InterruptedIOException.class)
        .isThrownBy(() -> accessor.read(0, new byte[1000], 0, 1000));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(dataNodes.calls).isEmpty();

    RdioClientFaultInjector.reset();
    byte[] got = new byte[1000];
    assertThat(accessor.read(0, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(0, 1000));
    assertThat(accessor.isShortCircuit()).isTrue();
  }

  @Test
  void corruptDeviceLeavesTheVerdictToADataNode() throws Exception {
    fixture.maps.then(block.map(fixture.clock));
    RdioReplicaAccessor accessor = open(LENGTH);
    block.image[block.placeOf(600)] ^= 1;
    byte[] got = new byte[1000];
    assertThat(accessor.read(0, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(0, 1000));
    assertThat(fixture.counters.fallbacks(FallbackReason.CHECKSUM_MISMATCH)).isEqualTo(1);
  }

  @Test
  void bugOfOursIsAFallbackToo() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    failDevice(new IllegalStateException("injected"));
    byte[] got = new byte[1000];
    assertThat(accessor.read(0, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(0, 1000));
    assertThat(fixture.counters.fallbacks(FallbackReason.INTERNAL_ERROR)).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void positionStaysWhenNobodyCanServe() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    failDevice(new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected"));
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    ByteBuffer buffer = ByteBuffer.allocate(100).position(5);
    assertThatThrownBy(() -> accessor.read(0, buffer)).isInstanceOf(IOException.class);
    assertThat(buffer.position()).isEqualTo(5);
    assertThat(buffer.limit()).isEqualTo(100);
    assertThat(fixture.maps.rejections()).isEmpty();
  }

  @Test
  void closeIsIdempotentAndReadsAfterItFailCleanly() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    accessor.read(0, new byte[10], 0, 10);
    accessor.close();
    accessor.close();
    assertThatThrownBy(() -> accessor.read(10, new byte[10], 0, 10))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("closed");
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void closeWhileADataNodeReadsLeavesNothingOpen() throws Exception {
    RdioReplicaAccessor accessor = open(LENGTH);
    failDevice(new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected"));
    dataNodes.onPacket = (replica, offset) -> accessor.close();
    assertThat(accessor.read(0, new byte[10], 0, 10)).isEqualTo(10);
    assertThat(dataNodes.openReaders).isZero();
  }

  private RdioReplicaAccessor open(long visibleLength) throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(fixture.context, Detours.NONE),
        new BlockToRead(block.request, true, visibleLength, dataNodes));
  }

  private static void failDevice(Exception failure) {
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            if (failure instanceof FallbackException refused) {
              throw refused;
            }
            throw (RuntimeException) failure;
          }
        });
  }
}
