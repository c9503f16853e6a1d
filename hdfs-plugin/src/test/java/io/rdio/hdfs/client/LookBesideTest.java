// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.datacache.BlockDataCache;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Looks at the device that are made beside reads by a DataNode, and begun when a test says so. */
class LookBesideTest {
  private static final int LENGTH = 3 * Routers.RUN_UNIT + 1000;
  private static final int COUNT = 1000;
  private static final int LOOK = 1 << 20;
  private static final int MANY = 200_000;

  /** What the DataNode takes, and the device while it is busy. */
  private static final long FAST = 1_000;

  private static final long SLOW = 1_000_000;

  private static final TestBlock BLOCK =
      new TestBlock(15, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 20_000_000);

  private final ReadFixture fixture = new ReadFixture(BLOCK, 512);
  private final FakeDataNodes dataNodes = new FakeDataNodes(BLOCK.bytes, 2);
  private final Routers routers = new Routers(fixture.counters, fixture.clock, true);
  private final List<Runnable> looks = new ArrayList<>();
  private final byte[] got = new byte[COUNT];
  private final AtomicLong now = new AtomicLong();
  private long tick = SLOW;

  @AfterEach
  void reset() {
    RdioClientFaultInjector.reset();
  }

  private DeviceIdentity device() throws FallbackException {
    return fixture.maps.get(BLOCK.request).device();
  }

  private Router positional() throws FallbackException {
    return routers.positional(device(), COUNT);
  }

  /** A look is paid for then. */
  private static void goByTheDataNode(Router router) {
    for (int i = 0; i < 100 && router.present() == Route.DEVICE; i++) {
      router.sample(Route.DATANODE, 1, FAST);
      router.sample(Route.DEVICE, 1, SLOW);
    }
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    pay(router);
  }

  private static void pay(Router router) {
    for (int i = 0; i < MANY; i++) {
      router.sample(Route.DATANODE, 1, FAST);
    }
  }

  private RdioReplicaAccessor open(int visibleLength) throws FallbackException {
    return open(visibleLength, routers, looks::add);
  }

  private RdioReplicaAccessor open(int visibleLength, Routers by, Executor threads)
      throws FallbackException {
    return RdioReplicaAccessor.open(
        DeviceWays.of(
            fixture.context, new Detours(0, false, by), threads, () -> now.addAndGet(tick)),
        new BlockToRead(BLOCK.request, true, visibleLength, dataNodes));
  }

  /** One read by position; whether the device served it. */
  private boolean read() throws Exception {
    return read(open(5000 + COUNT));
  }

  private boolean read(RdioReplicaAccessor accessor) throws Exception {
    assertThat(accessor.read(5000, got, 0, COUNT)).isEqualTo(COUNT);
    assertThat(got).isEqualTo(BLOCK.range(5000, COUNT));
    boolean byDevice = accessor.isShortCircuit();
    accessor.close();
    return byDevice;
  }

  private void assertNothingIsHeld() {
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(dataNodes.openReaders).isZero();
  }

  @Test
  void noReadWaitsForABusyDevice() throws Exception {
    goByTheDataNode(positional());
    assertThat(read()).isFalse();
    assertThat(looks).hasSize(1);
    assertThat(fixture.counters.deviceBytes.sum()).isZero();

    looks.get(0).run();
    assertThat(fixture.counters.deviceBytes.sum()).isPositive();
    assertThat(fixture.counters.rdioBytes.sum()).as("nobody wants them").isZero();
    assertThat(fixture.counters.stockBytes.sum()).isEqualTo(COUNT);

    assertThat(read()).as("the next read").isFalse();
    assertThat(looks).as("and it is not paid for").hasSize(1);
    assertNothingIsHeld();
  }

  @Test
  void aReadLooksForItselfBehindAQuickOne() throws Exception {
    goByTheDataNode(positional());
    tick = FAST;
    assertThat(read()).isFalse();
    assertThat(read()).as("while it is under way").isFalse();
    looks.get(0).run();
    assertThat(read()).isTrue();
    assertThat(looks).hasSize(1);
    assertNothingIsHeld();
  }

  @Test
  void aRunHasALittleOfItsNextUnitLookedAt() throws Exception {
    goByTheDataNode(routers.sequential(device()));
    RdioReplicaAccessor accessor = open(LENGTH);
    assertThat(accessor.read(0, got, 0, COUNT)).isEqualTo(COUNT);
    assertThat(accessor.isShortCircuit()).isFalse();
    assertThat(looks).hasSize(1);

    looks.get(0).run();
    assertThat(fixture.counters.deviceBytes.sum()).isBetween((long) LOOK, 2L * LOOK);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    accessor.close();
    assertNothingIsHeld();
  }

  private void failALook(FallbackReason why) throws Exception {
    tick = FAST;
    goByTheDataNode(positional());
    assertThat(read()).isFalse();
    RdioClientFaultInjector.set(
        new RdioClientFaultInjector() {
          @Override
          public void beforeDeviceRead(BlockDevice device, long offset, int length)
              throws FallbackException {
            throw new FallbackException(why, "injected");
          }
        });
    looks.get(0).run();
    RdioClientFaultInjector.reset();
    assertNothingIsHeld();
  }

  @Test
  void aReaderMakesOneThatFailsForNoFaultOfTheDevice() throws Exception {
    failALook(FallbackReason.BUFFERS_EXHAUSTED);
    assertThat(positional().hasOutage()).isFalse();
    assertThat(read()).isTrue();
    assertThat(looks).hasSize(1);
  }

  @Test
  void aDeviceThatFailsOneIsLeftAloneForAWhileAndThenAskedByAReader() throws Exception {
    fixture.maps.then(BLOCK.map(fixture.clock)).then(BLOCK.map(fixture.clock));
    failALook(FallbackReason.DEVICE_IO_ERROR);
    assertThat(positional().hasOutage()).isTrue();
    pay(positional());
    assertThat(read()).as("within a second").isFalse();
    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(read()).isTrue();
    assertThat(positional().hasOutage()).isFalse();
    assertThat(looks).hasSize(1);
    assertNothingIsHeld();
  }

  @Test
  void aReaderMakesOneThatNobodyElseDoes() throws Exception {
    goByTheDataNode(positional());
    Executor busy =
        look -> {
          throw new RejectedExecutionException("all are busy");
        };
    assertThat(read(open(5000 + COUNT, routers, busy))).isTrue();
    assertNothingIsHeld();
  }

  @Test
  void noMapIsWaitedForToMakeOne() throws Exception {
    goByTheDataNode(positional());
    assertThat(read()).isFalse();
    fixture.maps.loadsAre(() -> false);
    int lookups = fixture.maps.lookups();
    looks.get(0).run();
    assertThat(fixture.maps.lookups()).isEqualTo(lookups);
    assertThat(fixture.counters.deviceBytes.sum()).isZero();
  }

  /** Some of what readers ask the device for is in memory: a look would say nothing of them. */
  @Test
  void thereIsNoneBesideABlockDataCache() throws Exception {
    goByTheDataNode(positional());
    try (BlockDataCache cache =
        new BlockDataCache(1 << 20, 1 << 16, fixture.clock, fixture.counters)) {
      RdioReplicaAccessor accessor =
          RdioReplicaAccessor.open(
              DeviceWays.of(
                  fixture.context.with(cache), new Detours(0, false, routers), looks::add),
              new BlockToRead(BLOCK.request, true, 5000 + COUNT, dataNodes));
      assertThat(read(accessor)).as("a reader's own").isTrue();
    }
    assertThat(looks).isEmpty();
  }

  @Test
  void thereIsNoneWhereRoutingIsNotAdaptive() throws Exception {
    Routers notAdaptive = new Routers(fixture.counters, fixture.clock, false);
    goByTheDataNode(notAdaptive.positional(device(), COUNT));
    assertThat(read(open(5000 + COUNT, notAdaptive, looks::add))).as("a reader's own").isTrue();
    assertThat(looks).isEmpty();
  }

  @Test
  void norOfAReadThatIsLarge() throws Exception {
    int large = LOOK + 1;
    goByTheDataNode(routers.positional(device(), large));
    byte[] all = new byte[large];
    RdioReplicaAccessor accessor = open(large);
    assertThat(accessor.read(0, all, 0, large)).isEqualTo(large);
    assertThat(accessor.isShortCircuit()).as("a reader's own").isTrue();
    assertThat(looks).isEmpty();
    accessor.close();
  }
}
