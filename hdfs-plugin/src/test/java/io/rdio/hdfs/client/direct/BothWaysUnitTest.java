// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.ReadAheadPool;
import io.rdio.client.route.Routers;
import io.rdio.client.route.Together;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.DeferredQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import io.rdio.hdfs.client.stock.FakeDataNodes;
import io.rdio.hdfs.client.way.BlockToRead;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which units of a run by both ways are measures of one alone. */
class BothWaysUnitTest {
  private static final int UNIT = 1 << 20;
  private static final int LENGTH = 24 * UNIT;
  private static final int AHEAD = 4 * UNIT;
  private static final int PIECE = 1000;
  private static final long MILLI = 1_000_000;

  private static final TestBlock BLOCK =
      new TestBlock(14, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000_000);

  private final ReadFixture fixture =
      new ReadFixture(
          BLOCK,
          512,
          ReadPools.lendingBy(
              256 << 20,
              windows -> new ReadAheadPool(windows, AHEAD, () -> new DeferredQueue(LENGTH))));
  private final Routers routers = new Routers(fixture.counters, fixture.clock, true);
  private final Together together = new Together();
  private final AtomicLong now = new AtomicLong();
  private final ByteBuffer target = ByteBuffer.allocate(UNIT);
  private DeviceWay device;
  private BothWays ways;
  private long at;

  @BeforeEach
  void goBothWays() throws Exception {
    while (!together.isOn()) {
      together.unit(MILLI, false);
    }
    BlockToRead block =
        new BlockToRead(BLOCK.request, true, LENGTH, new FakeDataNodes(BLOCK.bytes, 2));
    Routing routing =
        new Routing(fixture.context, routers, Runnable::run, () -> now.addAndGet(MILLI));
    device = DeviceWay.open(fixture.context, block);
    ways = new BothWays(routing, Runnable::run, device, block, together);
  }

  @AfterEach
  void holdsNothing() {
    ways.close();
    device.close();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  private void read(int count) throws FallbackException {
    target.clear().limit(count);
    at += ways.read(at, target, count);
  }

  /** A unit of which nothing was read yet is of both ways only where some of it is to come so. */
  private boolean hasRanges() {
    ways.begin(true);
    return ways.unit(MILLI, true);
  }

  private void readUntilThereAreRanges() throws FallbackException {
    while (!hasRanges()) {
      assertThat(at).isLessThan(LENGTH - UNIT);
      read(UNIT);
    }
  }

  @Test
  void whatIsReadBetweenRangesIsOfBoth() throws Exception {
    assertThat(ways.begin(true)).isTrue();
    readUntilThereAreRanges();
    ways.begin(true);
    read(PIECE);
    ways.leave();
    assertThat(ways.unit(MILLI, true)).isTrue();
  }

  @Test
  void aUnitThatEndedEarlyLeavesNothingToTheNext() throws Exception {
    readUntilThereAreRanges();
    ways.begin(true);
    read(PIECE);
    ways.leave();
    ways.begin(true);
    assertThat(ways.unit(MILLI, true)).isFalse();
  }

  @Test
  void norDoesWhatWarmsUp() throws Exception {
    readUntilThereAreRanges();
    ways.begin(true);
    read(PIECE);
    ways.leave();
    ways.measureAnew();
    assertThat(ways.unit(MILLI, true)).isFalse();
  }

  @Test
  void noneIsWhileTheDataNodeIsNoWay() throws Exception {
    assertThat(ways.begin(false)).isFalse();
    while (at < LENGTH - UNIT) {
      read(UNIT);
    }
    assertThat(ways.unit(MILLI, true)).isFalse();
  }
}
