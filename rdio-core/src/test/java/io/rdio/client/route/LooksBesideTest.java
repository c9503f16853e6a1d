// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.ManualClock;
import org.junit.jupiter.api.Test;

/** Reads by a DataNode while the device is busy, and looks beside them that take as long. */
class LooksBesideTest {
  private static final long DATANODE = 200_000;
  private static final long BUSY = 3_000_000;
  private static final long QUIET = 100_000;

  /** On a thread that nobody used for long. */
  private static final long COLD = 300_000;

  /** Reads that pay for several looks. */
  private static final int MANY = 20_000;

  private final ClientCounters counters = new ClientCounters();
  private final ManualClock clock = new ManualClock();
  private final NewReads newReads = new NewReads();
  private Router router = Router.positional(newReads, counters, clock, true);
  private int looks;

  /** One read or unit as the router sends it. */
  private Route read(long deviceNanos) {
    Route route = router.choose();
    int underWay = router.begin(route);
    router.end(route);
    router.sample(route, underWay, route == Route.DEVICE ? deviceNanos : DATANODE);
    return route;
  }

  private void goByTheDataNode() {
    for (int i = 0; i < 1000 && router.present() == Route.DEVICE; i++) {
      read(BUSY);
    }
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }

  /** Reads behind looks that take so long; how many go by the device. */
  private int read(int reads, long lookNanos, long deviceNanos) {
    int byDevice = 0;
    for (int i = 0; i < reads; i++) {
      if (router.beside().begin()) {
        looks++;
        router.beside().took(lookNanos);
      }
      byDevice += read(deviceNanos) == Route.DEVICE ? 1 : 0;
    }
    return byDevice;
  }

  /** Which stays busy: a reader waits for it once in so many looks. */
  @Test
  void readsHardlyEverWaitForABusyDevice() {
    goByTheDataNode();
    int byDevice = read(200_000, BUSY, BUSY);
    assertThat(looks).isGreaterThan(2 * LooksBeside.MOST_BUSY);
    assertThat(byDevice).isEqualTo(looks / LooksBeside.MOST_BUSY);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
    assertThat(counters.routeProbes.sum()).isGreaterThanOrEqualTo(looks + byDevice);
  }

  /** Where nobody looks beside reads, readers do, one by one. */
  @Test
  void aBusyDeviceIsNotTriedInVain() {
    goByTheDataNode();
    int reads = 100_000;
    int byDevice = 0;
    for (int i = 0; i < reads; i++) {
      byDevice += read(BUSY) == Route.DEVICE ? 1 : 0;
    }
    double lost = (double) (byDevice * (BUSY - DATANODE));
    assertThat(lost / (double) (reads * DATANODE)).isBetween(0.01, 0.0135);
  }

  @Test
  void aDeviceThatIsQuietAgainIsTakenAsSoonAsOneLooks() {
    goByTheDataNode();
    read(20_000, BUSY, BUSY);
    looks = 0;
    for (int i = 0; i < 5_000 && router.present() == Route.DATANODE; i++) {
      read(1, COLD, QUIET);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(looks).isLessThanOrEqualTo(2);
  }

  /** Nearly four times slower than a DataNode still, but a quarter of what it was. */
  @Test
  void oneThatFellIsWorthAReadersLook() {
    goByTheDataNode();
    read(20_000, BUSY, BUSY);
    assertThat(begin()).isTrue();
    router.beside().took(BUSY / 4);
    assertThat(router.choose()).isEqualTo(Route.DEVICE);
  }

  @Test
  void oneThatFellByLessIsNot() {
    goByTheDataNode();
    read(20_000, BUSY, BUSY);
    assertThat(begin()).isTrue();
    router.beside().took(BUSY / 3);
    assertThat(router.choose()).isEqualTo(Route.DATANODE);
  }

  /** Whatever the device took before. */
  @Test
  void oneThatIsLittleSlowerThanADataNodeIsToo() {
    goByTheDataNode();
    for (int i = 0; i < 3; i++) {
      assertThat(begin()).isTrue();
      router.beside().took(5 * DATANODE);
    }
    assertThat(begin()).isTrue();
    router.beside().took(7 * DATANODE / 2);
    assertThat(router.choose()).as("3.5 times slower").isEqualTo(Route.DATANODE);
    assertThat(begin()).isTrue();
    router.beside().took(5 * DATANODE / 2);
    assertThat(router.choose()).as("2.5 times slower").isEqualTo(Route.DEVICE);
  }

  /** It may hang, and so would a reader's. */
  @Test
  void oneIsUnderWayAtATimeAndNoReaderLooksMeanwhile() {
    goByTheDataNode();
    assertThat(begin()).isTrue();
    assertThat(readsUntilAReaderLooks()).isEqualTo(MANY);
    assertThat(router.beside().begin()).isFalse();
    router.beside().took(BUSY);
    assertThat(router.beside().begin()).isTrue();
  }

  /** Or one that was lost on its way. */
  @Test
  void forOneThatHangsForEverReadersDoNotWaitForEver() {
    goByTheDataNode();
    assertThat(begin()).isTrue();
    clock.advance(Outage.LONGEST_PAUSE);
    for (int i = 0; i < 3; i++) {
      for (int n = 0; n < MANY; n++) {
        router.sample(Route.DATANODE, 1, DATANODE);
      }
      assertThat(router.beside().begin()).as("another one beside it").isFalse();
      assertThat(read(BUSY)).isEqualTo(Route.DEVICE);
    }
  }

  @Test
  void oneThatCannotBeMadeIsAReaders() {
    goByTheDataNode();
    assertThat(begin()).isTrue();
    router.beside().left();
    assertThat(router.beside().begin()).isFalse();
    assertThat(readsUntilAReaderLooks()).as("which is paid for").isZero();
    assertThat(readsUntilAReaderLooks()).as("once").isPositive();
  }

  /** And fails readers, too, which tell nobody. */
  @Test
  void aDeviceThatFailsEachLookIsAskedByAReaderOnceBehindEachPause() {
    goByTheDataNode();
    for (int i = 0; i < 3; i++) {
      assertThat(begin()).isTrue();
      router.beside().failed(DATANODE);
      assertThat(readsUntilAReaderLooks()).as("before it is over").isEqualTo(MANY);
      clock.advance(Outage.FIRST_PAUSE.multipliedBy(1L << i));
      assertThat(router.beside().begin()).isFalse();
      assertThat(router.choose()).isEqualTo(Route.DEVICE);
    }
    assertThat(router.hasOutage()).isTrue();
    assertThat(begin()).isTrue();
    router.beside().took(BUSY);
    assertThat(router.hasOutage()).as("behind one that went well").isFalse();
    assertThat(readsUntilAReaderLooks()).as("at a busy device").isPositive();
  }

  /** Its reads have gone well, or the DataNode's have failed. */
  @Test
  void oneThatFailsDoesNotSendReadersFromTheDevice() {
    goByTheDataNode();
    assertThat(begin()).isTrue();
    router.failed(Route.DATANODE, DATANODE);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    router.beside().failed(BUSY);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
  }

  /** How many reads come before that one. */
  private int readsUntilAReaderLooks() {
    int reads = 0;
    while (reads < MANY && read(BUSY) == Route.DATANODE) {
      reads++;
    }
    return reads;
  }

  /** Reads until a look is paid for, and takes it on. */
  private boolean begin() {
    for (int i = 0; i < MANY; i++) {
      if (router.beside().begin()) {
        return true;
      }
      assertThat(read(BUSY)).isEqualTo(Route.DATANODE);
    }
    return false;
  }

  @Test
  void thereIsNoneWhileReadsGoByTheDevice() {
    for (int i = 0; i < 20_000; i++) {
      assertThat(router.beside().begin()).isFalse();
      router.sample(Route.DEVICE, 1, QUIET);
    }
    assertThat(router.choose()).as("one by a reader").isEqualTo(Route.DATANODE);
  }

  @Test
  void norOfSetsOfRanges() {
    router = Router.of(Weighed.SETS, newReads, counters, clock);
    goByTheDataNode();
    for (int i = 0; i < 20_000; i++) {
      assertThat(router.beside().begin()).isFalse();
      router.sample(Route.DATANODE, 1, DATANODE);
    }
    assertThat(router.choose()).as("one by a reader").isEqualTo(Route.DEVICE);
  }

  @Test
  void aRunLooksBehindAQuickOneAndGoesOnLooking() {
    router = Router.of(Weighed.RUNS, newReads, counters, clock);
    goByTheDataNode();
    int byDevice = read(2_000, BUSY, BUSY);
    assertThat(byDevice).isEqualTo(looks / LooksBeside.MOST_BUSY);
    assertThat(looks).isGreaterThan(4);
    assertThat(begin()).isTrue();
    router.beside().took(2 * DATANODE);
    int units = 0;
    while (router.present() == Route.DATANODE && units < 20) {
      assertThat(router.beside().begin()).isFalse();
      assertThat(read(QUIET)).isEqualTo(Route.DEVICE);
      units++;
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
  }
}
