// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An accessor with two ways open, one of which is known to be faster. */
class RoutedWayTest {
  private static final int LENGTH = 3 * Routers.RUN_UNIT + 1000;
  private static final int PIECE = 100_000;
  private static final long FAST = 1_000;
  private static final long SLOW = 10_000_000_000L;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 2_000_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final Routers routers = new Routers(fixture.counters, fixture.clock, false);

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
    Thread.interrupted();
  }

  @Test
  void positionalReadTakesTheFasterWay() throws Exception {
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    RdioReplicaAccessor accessor = open(6000);
    byte[] got = new byte[1000];
    assertThat(accessor.read(5000, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(5000, 1000));
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(accessor.getNetworkDistance()).isEqualTo(FakeDataNodes.DISTANCE);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 5000+1000");
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(1000);
    assertThat(fixture.counters.fallbacks(FallbackReason.DATANODE_FASTER)).isEqualTo(1);
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void positionalWayServesWhatADataNodeIsToReadWithoutOpeningTheBlockAgain() throws Exception {
    BlockWay way = openPositional();
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    byte[] got = new byte[1000];
    assertThat(way.read(5000, got, 0, 1000)).isEqualTo(BlockWay.NOT_NOW);
    try (BlockWay once = Objects.requireNonNull(way.onlyOnce(6000))) {
      assertThat(once.read(5000, got, 0, 1000)).isEqualTo(1000);
      assertThat(once.isByDevice()).isFalse();
      assertThat(once.networkDistance()).isEqualTo(FakeDataNodes.DISTANCE);
    }
    assertThat(got).isEqualTo(block.range(5000, 1000));
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 5000+1000");
    assertThat(dataNodes.openReaders).isZero();
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(1000);
    byte[] more = new byte[20_000]; // weighed by themselves, so by the device as ever
    assertThat(way.read(5000, more, 0, more.length)).isEqualTo(more.length);
    assertThat(more).isEqualTo(block.range(5000, more.length));
    way.close();
  }

  @Test
  void deviceServesTheOneReadThatADataNodeFails() throws Exception {
    BlockWay way = openPositional();
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    byte[] got = new byte[1000];
    try (BlockWay once = Objects.requireNonNull(way.onlyOnce(6000))) {
      assertThat(once.read(5000, got, 0, 1000)).isEqualTo(1000);
      assertThat(once.isByDevice()).isTrue();
    }
    assertThat(got).isEqualTo(block.range(5000, 1000));
    assertThat(way.read(5000, got, 0, 1000)).as("the device is preferred now").isEqualTo(1000);
  }

  @Test
  void positionalWayHasNoOtherWhereTheMapIsGone() throws Exception {
    BlockWay way = openPositional();
    fixture.maps.loadsAre(() -> false);
    assertThat(way.onlyOnce(6000)).isNull();
  }

  @Test
  void aDataNodeIsNoWayWhileOneIsSilent() throws Exception {
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    fixture.maps.dataNodeIsSilent();
    byte[] got = new byte[1000];
    assertThat(open(6000).read(5000, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(5000, 1000));
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void readsOfAnotherSizeAreWeighedByThemselves() throws Exception {
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    RdioReplicaAccessor accessor = open(100_000);
    ByteBuffer got = ByteBuffer.allocate(95_000);
    assertThat(accessor.read(5000, got)).isEqualTo(95_000);
    assertThat(got.array()).isEqualTo(block.range(5000, 95_000));
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(accessor.getNetworkDistance()).isZero();
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void runInOrderStaysOnOneConnection() throws Exception {
    prefer(Route.DATANODE, routers.sequential(device()));
    assertThat(readInOrder(open(LENGTH))).isEqualTo(block.bytes);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+" + LENGTH);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(LENGTH);
  }

  @Test
  void runChangesItsWayInMidBlock() throws Exception {
    Router router = routers.sequential(device());
    prefer(Route.DATANODE, router);
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[LENGTH];
    accessor.read(0, got, 0, Routers.RUN_UNIT);
    for (int i = 0; i < 1000; i++) {
      router.sample(Route.DATANODE, 1, SLOW);
      router.sample(Route.DEVICE, 1, FAST);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(accessor.read(Routers.RUN_UNIT, got, Routers.RUN_UNIT, LENGTH - Routers.RUN_UNIT))
        .isEqualTo(LENGTH - Routers.RUN_UNIT);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(LENGTH - Routers.RUN_UNIT);
    accessor.close();
    assertThat(dataNodes.openReaders).isZero();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  @Test
  void deviceServesWhereTheFasterDataNodeFails() throws Exception {
    prefer(Route.DATANODE, routers.positional(device(), 1000));
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    RdioReplicaAccessor accessor = open(6000);
    byte[] got = new byte[1000];
    assertThat(accessor.read(5000, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(5000, 1000));
    assertThat(accessor.isShortCircuit()).isTrue();
    assertThat(routers.positional(device(), 1000).present())
        .as("later reads do not try it first")
        .isEqualTo(Route.DEVICE);
  }

  @Test
  void dataNodeServesWhereTheFasterDeviceFails() throws Exception {
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            throw new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected");
          }
        });
    RdioReplicaAccessor accessor = open(LENGTH);
    byte[] got = new byte[1000];
    assertThat(accessor.read(0, got, 0, 1000)).isEqualTo(1000);
    assertThat(got).isEqualTo(block.range(0, 1000));
    assertThat(fixture.counters.fallbacks(FallbackReason.BUFFERS_EXHAUSTED)).isEqualTo(1);
  }

  @Test
  void anInterruptSaysNothingOfTheDataNode() throws Exception {
    Router router = routers.sequential(device());
    prefer(Route.DATANODE, router);
    RdioReplicaAccessor accessor = open(LENGTH);
    dataNodes.onPacket =
        (replica, offset) -> {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("as a socket says");
        };
    byte[] got = new byte[PIECE];
    assertThatThrownBy(() -> accessor.read(0, got, 0, PIECE))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(router.present()).isEqualTo(Route.DATANODE);

    dataNodes.onPacket = (replica, offset) -> {};
    assertThat(accessor.read(0, got, 0, PIECE)).isEqualTo(PIECE);
    assertThat(got).isEqualTo(block.range(0, PIECE));
    assertThat(accessor.isShortCircuit()).as("the same way again").isFalse();
    accessor.close();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void norDoesACloseInMidRead() throws Exception {
    Router router = routers.sequential(device());
    prefer(Route.DATANODE, router);
    RdioReplicaAccessor accessor = open(LENGTH);
    dataNodes.onPacket =
        (replica, offset) -> {
          accessor.close();
          throw new IOException("reset");
        };
    assertThatThrownBy(() -> accessor.read(0, new byte[PIECE], 0, PIECE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed meanwhile");
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void closeDuringAReadByADataNodeLeavesNothingOpen() throws Exception {
    prefer(Route.DATANODE, routers.sequential(device()));
    RdioReplicaAccessor accessor = open(LENGTH);
    dataNodes.onPacket = (replica, offset) -> accessor.close();
    assertThat(accessor.read(0, new byte[10], 0, 10)).isEqualTo(10);
    assertThat(dataNodes.openReaders).isZero();
    assertThatThrownBy(() -> accessor.read(10, new byte[10], 0, 10)).hasMessageContaining("closed");
  }

  private DeviceIdentity device() throws FallbackException {
    return fixture.maps.get(block.request).device();
  }

  private static void prefer(Route fast, Router router) {
    Route slow = fast == Route.DEVICE ? Route.DATANODE : Route.DEVICE;
    for (int i = 0; i < 100 && (i < 10 || router.present() != fast); i++) {
      router.sample(fast, 1, FAST);
      router.sample(slow, 1, SLOW);
    }
    assertThat(router.present()).isEqualTo(fast);
  }

  private static byte[] readInOrder(RdioReplicaAccessor accessor) throws IOException {
    byte[] got = new byte[LENGTH];
    for (int at = 0; at < LENGTH; ) {
      at += accessor.read(at, got, at, Math.min(PIECE, LENGTH - at));
    }
    accessor.close();
    return got;
  }

  private BlockWay openPositional() throws FallbackException {
    return Objects.requireNonNull(
        DeviceWays.of(fixture.context, new Detours(0, false, routers))
            .openPositional(new BlockToRead(block.request, true, LENGTH, dataNodes)));
  }

  private RdioReplicaAccessor open(long visibleLength) throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(fixture.context, new Detours(0, false, routers)),
        new BlockToRead(block.request, true, visibleLength, dataNodes));
  }
}
