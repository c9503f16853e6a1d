// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.ManualClock;
import io.rdio.core.testing.Patience;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** A router on routes whose speed is known, on a clock that only the reads move. */
class RouterTest {
  private static final long MICRO = 1_000;
  private static final long HANG = 60_000_000 * MICRO;
  private static final int MANY = 100_000;
  private static final int UNITS = 20_000;

  private final ClientCounters counters = new ClientCounters();
  private final ManualClock clock = new ManualClock();
  private Router router = Router.positional(new NewReads(), counters, clock, false);
  private SplittableRandom random = new SplittableRandom(1);

  /** Time of so many reads as the router sends them, each up to a half off its mean. */
  private long read(int reads, long deviceNanos, long dataNodeNanos) {
    long sum = 0;
    for (int i = 0; i < reads; i++) {
      Route present = router.present();
      boolean stays = router.staysWith(present);
      assertThat(router.staysWith(present.other())).isFalse();
      Route route = router.choose();
      assertThat(route == present).isEqualTo(stays);
      long mean = route == Route.DEVICE ? deviceNanos : dataNodeNanos;
      long nanos = (long) (mean * (0.5 + random.nextDouble()));
      int underWay = router.begin(route);
      router.end(route);
      router.sample(route, underWay, nanos);
      clock.advance(Duration.ofNanos(nanos));
      sum += nanos;
    }
    return sum;
  }

  @Test
  void probesOfASlowRouteCostLittle() {
    long took = read(100_000, 30 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(counters.routeProbes.sum()).isPositive();
    assertThat(counters.routeChanges.sum()).isZero();
    assertThat(took).isLessThan((long) (1.03 * 100_000 * 30 * MICRO));
  }

  @Test
  void followsTheFasterRouteThereAndBack() {
    read(10_000, 30 * MICRO, 200 * MICRO);
    read(200, 3000 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    read(10_000, 3000 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    read(10_000, 30 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(counters.routeChanges.sum()).isEqualTo(2);
  }

  @Test
  void staysWhereBothAreAboutTheSame() {
    read(100_000, 100 * MICRO, 100 * MICRO);
    assertThat(counters.routeChanges.sum()).isLessThan(500);
  }

  /** What makes a connection, or runs code for the first time, is no measure of a route. */
  @Test
  void aRouteIsNotJudgedByItsColdFirstRead() {
    readWithAColdFirst(6000 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }

  @Test
  void norByAConnectionThatTakesAsLongAsManyReadsByTheOther() {
    readWithAColdFirst(20 * 3000 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }

  /** The device is the better route by far, then busy; a first read by the DataNode is cold. */
  private void readWithAColdFirst(long coldNanos) {
    Route last = Route.DEVICE;
    for (int i = 0; i < 104_000; i++) {
      long device = (i < 100_000 ? 30 : 3000) * MICRO;
      Route route = router.choose();
      boolean cold = route == Route.DATANODE && last == Route.DEVICE;
      long dataNode = cold ? coldNanos : 200 * MICRO;
      int underWay = router.begin(route);
      router.end(route);
      router.sample(route, underWay, route == Route.DEVICE ? device : dataNode);
      last = route;
    }
  }

  @Test
  void onePauseIsNoTrend() {
    read(10_000, 100 * MICRO, 200 * MICRO);
    router.sample(Route.DEVICE, 1, 1_000_000 * MICRO);
    read(1_000, 100 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(counters.routeChanges.sum()).isZero();
  }

  @Test
  void leavesARouteThatFailsAndComesBackWhenItWorks() {
    read(10_000, 3000 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    long lost = 100_000 * MICRO;
    int failures = 0;
    long took = 0;
    for (int i = 0; i < 20_000; i++) {
      Route route = router.choose();
      router.begin(route);
      router.end(route);
      if (route == Route.DATANODE) {
        failures++;
        clock.advance(Duration.ofNanos(lost));
        router.failed(route, lost);
      } else {
        took += 3000 * MICRO;
        clock.advance(Duration.ofNanos(3000 * MICRO));
        router.sample(route, 1, 3000 * MICRO);
      }
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    // The first one is a surprise, all others are probes.
    assertThat((failures - 1) * lost).isBetween(lost, took / 60);
    read(20_000, 3000 * MICRO, 200 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }

  /** It worked once, and that is enough to see whether it is the better one again. */
  @Test
  void aRouteThatWorksAgainIsTriedAtOnce() {
    read(10_000, 3000 * MICRO, 200 * MICRO);
    router.failed(Route.DATANODE, 100_000 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    int byDevice = 0;
    boolean works = false;
    for (int i = 0; i < 100_000 && router.present() == Route.DEVICE; i++) {
      Route route = one(3000 * MICRO, 200 * MICRO);
      works |= route == Route.DATANODE;
      byDevice += works && route == Route.DEVICE ? 1 : 0;
    }
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    assertThat(byDevice).isLessThanOrEqualTo(20);
  }

  @Test
  void aReadThatHungKeepsNobodyFromAskingForLong() {
    read(1_000, 3000 * MICRO, 10_000 * MICRO);
    hang(1);
    // A second is lost, of which an eightieth is earned at a time: not a minute.
    assertThat(readsUntilTheDataNodeIsAsked(3000 * MICRO)).isBetween(1_000, 30_000);
  }

  @Test
  void whatHungTogetherIsLostOnce() {
    read(1_000, 3000 * MICRO, 10_000 * MICRO);
    hang(8);
    assertThat(readsUntilTheDataNodeIsAsked(3000 * MICRO)).isBetween(1_000, 30_000);
  }

  @Test
  void aDeviceThatGrowsSlowerIsReasonToAskADataNodeThatFailed() {
    read(1_000, 30 * MICRO, 200 * MICRO);
    fail(1, 10_000 * MICRO);
    clock.advance(Outage.FIRST_PAUSE);
    assertThat(readsUntilTheDataNodeIsAsked(300 * MICRO)).isLessThan(500);
  }

  @Test
  void butNotWhileItIsToBeLeftAlone() {
    read(1_000, 30 * MICRO, 200 * MICRO);
    fail(1, 10_000 * MICRO);
    int pause = (int) (Outage.FIRST_PAUSE.toNanos() / (300 * MICRO));
    assertThat(readsUntilTheDataNodeIsAsked(300 * MICRO)).isBetween(pause, pause + 500);
  }

  /** What it may cost is soon paid for, long before a read that hangs has ended. */
  @Test
  void oneReaderAtATimeLooksAtTheOtherRoute() {
    router = Router.of(Weighed.RUNS, new NewReads(), counters, clock);
    unit(1000 * MICRO);
    assertThat(router.choose()).isEqualTo(Route.DATANODE);
    router.begin(Route.DATANODE);
    for (int i = 0; i < 10_000; i++) {
      assertThat(one(1000 * MICRO, 1000 * MICRO)).isEqualTo(Route.DEVICE);
    }
    router.end(Route.DATANODE);
    assertThat(router.choose()).isEqualTo(Route.DATANODE);
  }

  /** What it would cost to ask is out of all proportion to what the device costs more. */
  @Test
  void norWhereItsFailureTookLongerThanTheDeviceHasCost() {
    read(1_000, 30 * MICRO, 200 * MICRO);
    hang(1);
    clock.advance(Outage.FIRST_PAUSE);
    assertThat(readsUntilTheDataNodeIsAsked(300 * MICRO)).isEqualTo(MANY);
  }

  /** Reads by the DataNode that were begun together fail after a minute. */
  private void hang(int reads) {
    fail(reads, HANG);
  }

  private void fail(int reads, long nanos) {
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    clock.advance(Duration.ofNanos(nanos));
    for (int i = 0; i < reads; i++) {
      router.failed(Route.DATANODE, nanos);
    }
  }

  private int readsUntilTheDataNodeIsAsked(long deviceNanos) {
    int reads = 0;
    while (reads < MANY && one(deviceNanos, deviceNanos) == Route.DEVICE) {
      reads++;
    }
    return reads;
  }

  @Test
  void aReadThatBeganBeforeAFailureDoesNotBringTheRouteBack() {
    read(10_000, 3000 * MICRO, 200 * MICRO);
    router.failed(Route.DATANODE, 100_000 * MICRO);
    router.sample(Route.DATANODE, 2, 200 * MICRO);
    for (int i = 0; i < 300; i++) {
      assertThat(one(3000 * MICRO, 200 * MICRO)).as("within a second").isEqualTo(Route.DEVICE);
    }
  }

  /** Where earlier trials are not paid for; a read that hangs is not to hang all readers. */
  @Test
  void aSignIsConfirmedByOneReader() {
    byDataNode(4, 1_000_000 * MICRO); // the first trial loses seconds
    byDataNode(2, 10 * MICRO);
    for (int i = 0; i < Trial.COLD; i++) {
      assertThat(one(30 * MICRO, 10 * MICRO)).as("behind a sign").isEqualTo(Route.DEVICE);
    }

    assertThat(router.choose()).as("who confirms it").isEqualTo(Route.DATANODE);

    for (int i = 0; i < 3 * Trial.COLD; i++) {
      assertThat(one(30 * MICRO, 10 * MICRO)).as("meanwhile").isEqualTo(Route.DEVICE);
    }
  }

  private void byDataNode(int reads, long nanos) {
    int done = 0;
    for (int i = 0; i < 10_000 && done < reads; i++) {
      done += one(30 * MICRO, nanos) == Route.DATANODE ? 1 : 0;
    }
    assertThat(done).isEqualTo(reads);
  }

  private Route one(long deviceNanos, long dataNodeNanos) {
    Route route = router.choose();
    int underWay = router.begin(route);
    router.end(route);
    long nanos = route == Route.DEVICE ? deviceNanos : dataNodeNanos;
    router.sample(route, underWay, nanos);
    clock.advance(Duration.ofNanos(nanos));
    return route;
  }

  @Test
  void aRouteWithoutLoadIsNotThoughtToBeFastUnderAllLoad() {
    read(10_000, 100 * MICRO, 150 * MICRO); // probes found the DataNode alone
    for (int i = 0; i < 64; i++) {
      router.begin(Route.DEVICE);
    }
    for (int i = 0; i < 1_000; i++) {
      router.sample(Route.DEVICE, 64, 400 * MICRO);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
  }

  /** A unit of a run is long: a few of them must do. */
  @Test
  void aRunLeavesADeviceThatGetsBusyWithinFewUnits() {
    router = Router.of(Weighed.RUNS, new NewReads(), counters, clock);
    for (int i = 0; i < 100; i++) {
      unit(1000 * MICRO);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    int units = 0;
    while (router.present() == Route.DEVICE && units < 100) {
      unit(20_000 * MICRO);
      units++;
    }
    assertThat(units).isLessThanOrEqualTo(20);
  }

  /** A connection that is made anew, say, or a device that had nothing to do meanwhile. */
  @Test
  void whatFollowsALookOfARunIsPaidForAsWell() {
    assertThat(run(0, 4000 * MICRO)).isLessThan((long) (1.02 * UNITS * 1000 * MICRO));
  }

  @Test
  void whatWarmsARunUpForALookIsPaidForAsWell() {
    assertThat(run(4000 * MICRO, 0)).isLessThan((long) (1.02 * UNITS * 1000 * MICRO));
  }

  /** One that takes minutes must not keep others from looking for hours. */
  @Test
  void butAPauseThatALookMeetsIsNotPaidForForLong() {
    router = Router.of(Weighed.RUNS, new NewReads(), counters, clock);
    unit(1000 * MICRO);
    assertThat(router.choose()).isEqualTo(Route.DATANODE);
    router.warmedUp(HANG);
    router.sample(Route.DATANODE, 1, 2000 * MICRO);
    assertThat(readsUntilTheDataNodeIsAsked(1000 * MICRO)).isBetween(500, 2000);
  }

  /** Blocks that are shorter than a unit say how fast a route is, too, as soon as they are one. */
  @Test
  void partsOfUnitsAreOneTogether() {
    router = Router.of(Weighed.RUNS, new NewReads(), counters, clock);
    int part = Routers.RUN_UNIT / 4;
    for (int i = 0; i < 3; i++) {
      router.part(Route.DEVICE, 1, part, 100 * MICRO);
    }
    assertThat(router.usualNanos()).isZero();
    router.part(Route.DEVICE, 1, part, 700 * MICRO);
    assertThat(router.usualNanos()).isEqualTo(1000.0 * MICRO);
  }

  /** Time of many units, of which those by the DataNode, in front of them and behind cost more. */
  private long run(long warmUpNanos, long behindNanos) {
    router = Router.of(Weighed.RUNS, new NewReads(), counters, clock);
    Route last = Route.DEVICE;
    long sum = 0;
    for (int i = 0; i < UNITS; i++) {
      Route route = router.choose();
      long nanos = 1000 * MICRO;
      if (route == Route.DATANODE) {
        router.warmedUp((double) warmUpNanos);
        sum += warmUpNanos;
        nanos = 1200 * MICRO;
      } else if (last == Route.DATANODE) {
        nanos += behindNanos;
      }
      int underWay = router.begin(route);
      router.end(route);
      router.sample(route, underWay, nanos);
      last = route;
      sum += nanos;
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(counters.routeProbes.sum()).isGreaterThan(10);
    return sum;
  }

  private void unit(long deviceNanos) {
    Route route = router.choose();
    int underWay = router.begin(route);
    router.end(route);
    router.sample(route, underWay, route == Route.DEVICE ? deviceNanos : 2000 * MICRO);
  }

  /** Against the better of both in each phase; what it takes to notice is a number of reads. */
  @Property(tries = 200, seed = "20261128")
  void isHardlyWorseThanTheBetterRoute(
      @ForAll @LongRange(min = 10, max = 10_000) long device,
      @ForAll @LongRange(min = 10, max = 10_000) long dataNode,
      @ForAll @LongRange(min = 10, max = 10_000) long laterDevice,
      @ForAll @LongRange(min = 10, max = 10_000) long laterDataNode,
      @ForAll long seed) {
    random = new SplittableRandom(seed);
    router =
        Router.positional(
            new NewReads(), counters, clock, false); // jqwik keeps the instance for all tries
    int reads = 50_000;
    long took = read(reads, device * MICRO, dataNode * MICRO);
    took += read(reads, laterDevice * MICRO, laterDataNode * MICRO);
    long better = Math.min(device, dataNode) + Math.min(laterDevice, laterDataNode);
    long worst = Math.max(Math.max(device, dataNode), Math.max(laterDevice, laterDataNode));
    double noticing = 2_000.0 * MICRO * worst;
    assertThat((double) took).isLessThan(1.15 * MICRO * reads * better + noticing);
  }

  @Test
  void countsOfReadsUnderWayAreKeptByAnyNumberOfThreads() throws Exception {
    int threads = 4;
    CyclicBarrier together = new CyclicBarrier(threads);
    Thread[] readers = new Thread[threads];
    for (int i = 0; i < threads; i++) {
      readers[i] =
          new Thread(
              () -> {
                try {
                  together.await();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
                for (int n = 0; n < 20_000; n++) {
                  Route route = router.choose();
                  int underWay = router.begin(route);
                  router.end(route);
                  router.sample(route, underWay, 1 + (n & 1023));
                }
              });
      readers[i].start();
    }
    for (Thread reader : readers) {
      Patience.join(reader);
    }
    assertThat(router.begin(Route.DEVICE)).isEqualTo(1);
    assertThat(router.begin(Route.DATANODE)).isEqualTo(1);
  }
}
