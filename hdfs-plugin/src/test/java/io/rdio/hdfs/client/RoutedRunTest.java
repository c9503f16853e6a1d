// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.route.Route;
import io.rdio.client.route.Router;
import io.rdio.client.route.Routers;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.direct.Detours;
import io.rdio.hdfs.client.direct.DeviceWays;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a look at the other way does to a run. */
class RoutedRunTest {
  private static final int UNIT = Routers.RUN_UNIT;
  private static final int LENGTH = 6 * UNIT;
  private static final int PIECE = 64 << 10;
  private static final long FAST = 1_000;
  private static final long SLOW = 1_000_000;
  private static final long HOPELESS = 1_000_000_000;
  private static final int MANY = 100_000;

  /** What each read takes, and a unit. */
  private static final long TICK = 1_000_000;

  private static final long USUAL = TICK * UNIT / PIECE;

  private static final TestBlock BLOCK =
      new TestBlock(12, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 2_000_000);
  private final ReadFixture fixture = new ReadFixture(BLOCK, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(BLOCK.bytes, 2);
  private final Routers routers = new Routers(fixture.counters, fixture.clock, false);
  private final byte[] got = new byte[LENGTH];

  /** The JVM copies an array wholly for each call that has it, where it checks JNI. */
  private final byte[] piece = new byte[PIECE];

  private final AtomicLong now = new AtomicLong();

  private Router router() throws FallbackException {
    return routers.sequential(fixture.maps.get(BLOCK.request).device());
  }

  private RdioReplicaAccessor open() throws FallbackException {
    return open(LENGTH);
  }

  private RdioReplicaAccessor open(int length) throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(
            fixture.context, new Detours(0, false, routers), null, () -> now.addAndGet(TICK)),
        new BlockToRead(BLOCK.request, true, length, dataNodes));
  }

  private void readOn(RdioReplicaAccessor accessor, int from, int to) throws IOException {
    for (int at = from; at < to; ) {
      int count = accessor.read(at, piece, 0, Math.min(PIECE, to - at));
      System.arraycopy(piece, 0, got, at, count);
      at += count;
    }
  }

  @Test
  void atTheDataNodeItKeepsWhatTheDeviceHasReadAhead() throws Exception {
    Router router = router();
    RdioReplicaAccessor accessor = open();
    readOn(accessor, 0, UNIT);
    // One look at it is paid for, and not by what follows.
    router.sample(Route.DATANODE, 1, HOPELESS * USUAL / FAST);
    for (int i = 0; i < MANY; i++) {
      router.sample(Route.DEVICE, 1, USUAL);
    }

    readOn(accessor, UNIT, 3 * UNIT);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(2L * UNIT);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 " + UNIT + "+" + 2 * UNIT);
    readOn(accessor, 3 * UNIT, 3 * UNIT + PIECE);
    assertThat(fixture.windows.lentBytes()).as("read ahead").isGreaterThan(PIECE);

    readOn(accessor, 3 * UNIT + PIECE, LENGTH);
    accessor.close();
    assertThat(got).isEqualTo(BLOCK.bytes);
    assertThat(fixture.counters.routeProbes.sum()).isEqualTo(1);
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(LENGTH - 2L * UNIT);
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.openReaders).isZero();
  }

  /** The device has read enough in order for the next block to be begun. */
  @Test
  void atTheDataNodeItBeginsNothingOfTheNextBlockByTheDevice() throws Exception {
    Router router = router();
    fixture.maps.followedBy(fixture.maps.get(BLOCK.request));
    RdioReplicaAccessor accessor = open();
    readOn(accessor, 0, UNIT);
    preferTheDataNode(router);

    readOn(accessor, UNIT, LENGTH);
    accessor.close();
    assertThat(got).isEqualTo(BLOCK.bytes);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    assertThat(fixture.counters.blocksAhead.sum()).isZero();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** It takes more for a part than a few units by the device. */
  @Test
  void aBusyDataNodeIsLeftAtOnceAndNothingOfItStaysOpen() throws Exception {
    Router router = router();
    router.sample(Route.DATANODE, 1, HOPELESS);
    for (int i = 0; i < MANY; i++) {
      router.sample(Route.DEVICE, 1, FAST);
    }
    RdioReplicaAccessor accessor = open();
    readOn(accessor, 0, PIECE);
    assertThat(dataNodes.openReaders).as("behind what it took to open").isEqualTo(1);
    readOn(accessor, PIECE, 2 * PIECE);
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(dataNodes.openReaders).isZero();

    readOn(accessor, 2 * PIECE, LENGTH);
    accessor.close();
    assertThat(got).isEqualTo(BLOCK.bytes);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(2 * PIECE);
    assertThat(fixture.counters.routeProbes.sum()).isEqualTo(1);
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** Many short blocks, of which each is read anew; the device is slower by far. */
  @Test
  void inShortBlocksItIsAMeasureToo() throws Exception {
    Router router = router();
    int length = 3 << 20;
    router.sample(Route.DEVICE, 1, 100 * USUAL);
    int blocks = 0;
    while (router.present() == Route.DEVICE && blocks < MANY) {
      RdioReplicaAccessor accessor = open(length);
      readOn(accessor, 0, length);
      accessor.close();
      router.sample(Route.DEVICE, 1, 100 * USUAL);
      blocks++;
    }
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    assertThat(blocks).isLessThan(1000);
  }

  @Test
  void itTakesNoneWhereTheBlockHasNoRoomForOne() throws Exception {
    Router router = router();
    int length = 8 * PIECE;
    router.sample(Route.DEVICE, 1, 100 * USUAL);
    for (int i = 0; i < 100; i++) {
      RdioReplicaAccessor accessor = open(length);
      readOn(accessor, 0, length);
      accessor.close();
    }
    assertThat(fixture.counters.routeProbes.sum()).isZero();
    assertThat(fixture.counters.stockBytes.sum()).isZero();
  }

  /** As one does that reads some columns of a file. */
  @Test
  void itIsNoMeasureIfTheReaderGoesElsewhereBeforeItIsWarm() throws Exception {
    Router router = router();
    router.sample(Route.DEVICE, 1, USUAL);
    dataNodes.onOpen = (replica, offset) -> now.addAndGet(1000 * TICK);
    RdioReplicaAccessor accessor = open();
    readOn(accessor, 0, PIECE);
    assertThat(accessor.isShortCircuit()).isFalse();
    readOn(accessor, 3 * UNIT, 4 * UNIT);
    accessor.close();
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    for (int i = 0; i < 2000; i++) {
      router.sample(Route.DEVICE, 1, USUAL);
    }
    assertThat(router.choose()).as("which has paid for another look").isEqualTo(Route.DATANODE);
  }

  /** However large the buffer is. */
  @Test
  void atTheDataNodeItIsTwoUnitsOfALargeReadToo() throws Exception {
    Router router = router();
    router.sample(Route.DEVICE, 1, HOPELESS * USUAL / FAST);
    RdioReplicaAccessor accessor = open();
    byte[] all = new byte[LENGTH - 1]; // as much as a block has is a positional read
    assertThat(accessor.read(0, all, 0, all.length)).isEqualTo(UNIT);
    assertThat(accessor.read(UNIT, all, UNIT, all.length - UNIT)).isEqualTo(UNIT);
    accessor.close();
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+" + 2 * UNIT);
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(2L * UNIT);
  }

  private static void preferTheDataNode(Router router) {
    for (int i = 0; i < MANY && (i < 10 || router.present() == Route.DEVICE); i++) {
      router.sample(Route.DATANODE, 1, FAST);
      router.sample(Route.DEVICE, 1, SLOW);
    }
  }

  /** It takes more for a part than a few units by the DataNode. */
  @Test
  void atABusyDeviceItEndsAtOnceAndKeepsTheConnection() throws Exception {
    Router router = router();
    preferTheDataNode(router);
    RdioReplicaAccessor accessor = open();
    assertThat(accessor.read(0, got, 0, UNIT)).isEqualTo(UNIT);
    assertThat(accessor.isShortCircuit()).isFalse();
    for (int i = 0; i < MANY; i++) {
      router.sample(Route.DATANODE, 1, FAST); // which pays for a look
    }

    assertThat(accessor.read(UNIT, got, UNIT, LENGTH - UNIT)).isEqualTo(PIECE);
    assertThat(accessor.isShortCircuit()).isTrue();
    int rest = LENGTH - UNIT - PIECE;
    assertThat(accessor.read(UNIT + PIECE, got, UNIT + PIECE, rest)).isEqualTo(rest);
    assertThat(accessor.isShortCircuit()).isFalse();
    accessor.close();

    assertThat(got).isEqualTo(BLOCK.bytes);
    assertThat(dataNodes.calls).containsExactly("locate", "open 0 0+" + LENGTH, "skip 0 " + PIECE);
    assertThat(fixture.counters.rdioBytes.sum()).isEqualTo(PIECE);
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.openReaders).isZero();
  }
}
