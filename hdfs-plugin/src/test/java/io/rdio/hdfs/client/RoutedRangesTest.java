// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.RangeReads;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWays;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Sets of ranges where the DataNode is another way, which may be the faster one. */
class RoutedRangesTest {
  private static final int LENGTH = 2_000_000;
  private static final int COUNT = 20_000;
  private static final int RANGES = 5;
  private static final int WANTED = RANGES * COUNT;
  private static final long MILLI = 1_000_000;

  private final TestBlock block =
      new TestBlock(11, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 500_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(block.bytes, 2);
  private final Routers routers = new Routers(fixture.counters, fixture.clock, true);

  private BlockWays ways(long firstBytes) {
    return DeviceWays.of(fixture.context, new Detours(firstBytes, false, routers));
  }

  private RangeReads open() throws FallbackException {
    BlockToRead whole = new BlockToRead(block.request, true, LENGTH, dataNodes);
    return Objects.requireNonNull(ways(0).openRanges(whole, WANTED), "they are read one by one");
  }

  private Router router() throws FallbackException {
    return routers.vectored(fixture.maps.get(block.request).device(), WANTED);
  }

  private static ByteBuffer begin(RangeReads ranges, long from) throws FallbackException {
    ByteBuffer target = ByteBuffer.allocate(COUNT);
    assertThat(ranges.begin(from, target, 0, COUNT)).isEqualTo(COUNT);
    return target;
  }

  private void assertNoneUnderWay() throws FallbackException {
    for (Route route : Route.values()) {
      assertThat(router().begin(route)).as(route.toString()).isEqualTo(1);
      router().end(route);
    }
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** One set after the other, each of its own size and time by the way that is chosen for it. */
  private int sets(int count, long deviceBytes, long deviceNanos, long nodeBytes, long nodeNanos)
      throws FallbackException {
    int byDataNode = 0;
    for (int i = 0; i < count; i++) {
      try (RangeReads ranges = open()) {
        if (ranges.isByDataNode()) {
          ranges.took(nodeBytes, nodeNanos);
          byDataNode++;
        } else {
          ranges.took(deviceBytes, deviceNanos);
        }
      }
    }
    return byDataNode;
  }

  @Test
  void allOfThemAreUnderWayTogether() throws Exception {
    assertThat(ways(0).mayHaveRanges()).isTrue();
    try (RangeReads ranges = open()) {
      assertThat(ranges.isByDataNode()).isFalse();
      List<ByteBuffer> targets = new ArrayList<>();
      for (int i = 0; i < RANGES; i++) {
        targets.add(begin(ranges, 300_000L * i));
      }
      ranges.submit();
      assertThat(ranges.underWay()).isEqualTo(RANGES);
      for (int i = 0; i < RANGES; i++) {
        assertThat(ranges.complete()).isEqualTo(COUNT);
        assertRead(targets.get(i), block.range(300_000L * i, COUNT));
      }
      ranges.took(WANTED, MILLI);
    }
    assertThat(dataNodes.calls).isEmpty();
    assertThat(fixture.counters.rdioReads.sum()).isEqualTo(RANGES);
    assertNoneUnderWay();
  }

  @Test
  void aDataNodeThatIsFasterHasThem() throws Exception {
    sets(40, WANTED, 10 * MILLI, WANTED, MILLI);
    assertThat(router().present()).isEqualTo(Route.DATANODE);
    long before = fixture.counters.fallbacks(FallbackReason.DATANODE_FASTER);
    assertThat(sets(30, WANTED, 10 * MILLI, WANTED, MILLI)).isGreaterThan(25);
    assertThat(fixture.counters.fallbacks(FallbackReason.DATANODE_FASTER) - before)
        .isGreaterThan(25);
    assertNoneUnderWay();
  }

  @Test
  void theDeviceKeepsThemWhereItIsFasterAndTheOtherWayIsHardlyTried() throws Exception {
    assertThat(sets(300, WANTED, MILLI, WANTED, 10 * MILLI)).isBetween(1, 10);
    assertThat(router().present()).isEqualTo(Route.DEVICE);
  }

  /** Twice as many bytes in half as much time again are the faster set. */
  @Test
  void setsAreWeighedByTheByte() throws Exception {
    sets(40, 65_536, 10 * MILLI, 131_071, 15 * MILLI);
    assertThat(router().present()).isEqualTo(Route.DATANODE);
  }

  @Test
  void setsOfAnotherSizeAndSingleReadsAreWeighedByThemselves() throws Exception {
    sets(40, WANTED, 10 * MILLI, WANTED, MILLI);
    assertThat(router().present()).isEqualTo(Route.DATANODE);
    DeviceIdentity device = fixture.maps.get(block.request).device();
    assertThat(routers.vectored(device, 10L * WANTED).present()).isEqualTo(Route.DEVICE);
    assertThat(routers.positional(device, WANTED).present()).isEqualTo(Route.DEVICE);
    assertThat(routers.sequential(device).present()).isEqualTo(Route.DEVICE);
  }

  @Test
  void aDataNodeThatFailsIsLeftAtOnce() throws Exception {
    sets(40, WANTED, 10 * MILLI, WANTED, MILLI);
    boolean failed = false;
    while (!failed) {
      try (RangeReads ranges = open()) {
        failed = ranges.isByDataNode();
        if (failed) {
          ranges.dataNodeFailed(MILLI);
        }
      }
    }
    assertThat(router().present()).isEqualTo(Route.DEVICE);
    assertNoneUnderWay();
  }

  private static void assertRead(ByteBuffer target, byte[] expected) {
    assertThat(target.duplicate().clear()).isEqualTo(ByteBuffer.wrap(expected));
  }

  @Test
  void aDeviceThatFailsInTheMiddleIsNoMeasureAndHoldsNothing() throws Exception {
    block.image[block.placeOf(310_000)] ^= 1;
    try (RangeReads ranges = open()) {
      ByteBuffer first = begin(ranges, 0);
      begin(ranges, 300_000);
      begin(ranges, 600_000);
      ranges.submit();
      assertThat(ranges.complete()).isEqualTo(COUNT);
      assertRead(first, block.range(0, COUNT));
      assertThatThrownBy(ranges::complete)
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));
    }
    fixture.maps.then(block.map(fixture.clock)); // for the map was rejected
    assertNoneUnderWay();
    assertThat(router().present()).isEqualTo(Route.DEVICE);
    try (RangeReads ranges = open()) {
      assertThat(ranges.isByDataNode()).as("tried before the device has a time").isFalse();
    }
  }

  @Test
  void aDataNodeIsNoWayWhileOneIsSilent() throws Exception {
    sets(40, WANTED, 10 * MILLI, WANTED, MILLI);
    fixture.maps.dataNodeIsSilent();
    assertThat(sets(20, WANTED, 10 * MILLI, WANTED, MILLI)).isZero();
  }

  @Test
  void littleOfABlockWithoutAMapIsReadOneByOne() throws Exception {
    BlockToRead whole = new BlockToRead(block.request, true, LENGTH, dataNodes);
    fixture.maps.loadsAre(() -> false);
    assertThat(ways(WANTED).openRanges(whole, WANTED)).isNull();
    assertThat(fixture.maps.begun()).isZero();
  }
}
