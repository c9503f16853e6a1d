// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.route.Routers;
import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A run that may go by device and DataNode at once. */
class BothWaysTest {
  private static final int UNIT = 1 << 20;
  private static final int LENGTH = 24 * UNIT + 1000;
  private static final int AHEAD = 4 * UNIT;

  private static final TestBlock BLOCK =
      new TestBlock(13, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000_000);

  private final ReadFixture fixture =
      new ReadFixture(
          BLOCK,
          512,
          ReadPools.lendingBy(
              256 << 20,
              windows -> new ReadAheadPool(windows, AHEAD, () -> new DeferredQueue(LENGTH))));
  private final FakeDataNodes dataNodes = new FakeDataNodes(BLOCK.bytes, 2);
  private final Routers routers = new Routers(fixture.counters, fixture.clock, true);
  private final AtomicLong now = new AtomicLong();
  private final byte[] got = new byte[LENGTH];
  private int byDevice;
  private int byDataNode;

  private DeviceIdentity device() throws FallbackException {
    return fixture.maps.get(BLOCK.request).device();
  }

  private RdioReplicaAccessor open(Executor threads) throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(
            fixture.context,
            new Detours(0, false, routers),
            threads,
            () -> now.addAndGet(1_000_000)), // each read takes as long
        new BlockToRead(BLOCK.request, true, LENGTH, dataNodes));
  }

  /** One way alone seems to take a second for each unit, so both are tried for as long as it is. */
  private Together goBothWays() throws FallbackException {
    Together together = Objects.requireNonNull(routers.together(device()));
    while (!together.isOn()) {
      together.unit(1_000_000_000, false);
    }
    return together;
  }

  private void readOn(RdioReplicaAccessor accessor, int from, int to) throws IOException {
    for (int at = from; at < to; ) {
      int count = accessor.read(at, got, at, Math.min(UNIT, to - at));
      byDevice += accessor.isShortCircuit() ? count : 0;
      byDataNode += accessor.isShortCircuit() ? 0 : count;
      at += count;
    }
  }

  private void assertReadAndHoldsNothing() {
    assertThat(got).isEqualTo(BLOCK.bytes);
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void rangesComeByTheDataNodeAndTheRestByTheDevice() throws Exception {
    goBothWays();
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(fixture.counters.togetherBytes.sum()).isGreaterThanOrEqualTo(UNIT);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(byDataNode);
    assertThat(fixture.counters.togetherBytes.sum()).isEqualTo(byDataNode);
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(byDevice);
    assertThat(byDevice + byDataNode).isEqualTo(LENGTH);
    assertThat(fixture.counters.fallbacks(FallbackReason.DATANODE_FASTER)).isEqualTo(1);
    assertThat(fixture.counters.deviceBytes.sum())
        .as("what the DataNode brings is not read by the device, too")
        .isLessThan(byDevice + UNIT);
  }

  @Test
  void whatDoesNotComeInTimeIsReadByTheDevice() throws Exception {
    Together together = goBothWays();
    List<Runnable> neverBegun = new ArrayList<>();
    RdioReplicaAccessor accessor = open(neverBegun::add);
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(neverBegun).isNotEmpty();
    assertThat(together.isOn()).isFalse();
    assertThat(fixture.counters.togetherBytes.sum()).isZero();
  }

  @Test
  void aDataNodeThatFailsIsLeftAtOnceAndNotAskedAgainAtOnce() throws Exception {
    Together together = goBothWays();
    dataNodes.onOpen =
        (replica, offset) -> {
          throw new IOException("down");
        };
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(together.isOn()).isFalse();
    assertThat(routers.sequential(device()).hasOutage()).isTrue();
    assertThat(byDevice).isEqualTo(LENGTH);
    assertThat(dataNodes.calls.stream().filter("refresh"::equals)).hasSize(1);
  }

  @Test
  void oneThatBreaksOffInMidRangeIsTo() throws Exception {
    goBothWays();
    int broken = 6 * UNIT + 300_000;
    dataNodes.onPacket =
        (replica, offset) -> {
          if (offset >= broken) {
            throw new IOException("reset");
          }
        };
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
  }

  @Test
  void aSilentDataNodeIsNoWay() throws Exception {
    goBothWays();
    fixture.maps.dataNodeIsSilent();
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(dataNodes.calls).isEmpty();
  }

  @Test
  void aReaderThatGoesElsewhereLeavesWhatTheDataNodeBrought() throws Exception {
    goBothWays();
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, 8 * UNIT);
    readOn(accessor, 0, 3 * UNIT);
    readOn(accessor, 20 * UNIT, LENGTH);
    readOn(accessor, 3 * UNIT, 20 * UNIT);
    accessor.close();
    assertReadAndHoldsNothing();
  }

  @Test
  void closedInMidRunItHoldsNothing() throws Exception {
    goBothWays();
    RdioReplicaAccessor accessor = open(Runnable::run);
    readOn(accessor, 0, 8 * UNIT);
    assertThat(fixture.windows.lentBytes()).isPositive();
    accessor.close();
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.openReaders).isZero();
    assertThatThrownBy(() -> accessor.read(8L * UNIT, got, 0, 10)).hasMessageContaining("closed");
  }

  @Test
  void readsByPositionDoNot() throws Exception {
    goBothWays();
    RdioReplicaAccessor accessor = open(Runnable::run);
    assertThat(accessor.read(0, got, 0, LENGTH)).isEqualTo(LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(fixture.counters.togetherBytes.sum()).isZero();
  }

  @Test
  void norDoRunsWithoutThreadsForIt() throws Exception {
    goBothWays();
    RdioReplicaAccessor accessor =
        RdioReplicaAccessor.open(
            DeviceWays.of(fixture.context, new Detours(0, false, routers)),
            new BlockToRead(BLOCK.request, true, LENGTH, dataNodes));
    readOn(accessor, 0, LENGTH);
    accessor.close();
    assertReadAndHoldsNothing();
    assertThat(fixture.counters.togetherBytes.sum()).isZero();
  }
}
