// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import java.util.Comparator;
import java.util.PriorityQueue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Readers that go on as soon as they have what they asked for, on two routes that serve one read
 * after the other, each in the same time.
 */
class BalancedRouterTest {
  private static final int READS = 40_000;

  private final ClientCounters counters = new ClientCounters();

  private record Read(Route route, int began, long from, long end) {}

  /** Reads a second of a thousand, of as many readers by a router. */
  private static double rate(Router router, int readers, long deviceNanos, long dataNodeNanos) {
    long[] free = new long[2];
    PriorityQueue<Read> underWay = new PriorityQueue<>(Comparator.comparingLong(Read::end));
    long now = 0;
    for (int i = 0; i < READS; i++) {
      if (underWay.size() == readers) {
        Read done = underWay.remove();
        now = done.end();
        router.end(done.route());
        router.sample(done.route(), done.began(), done.end() - done.from());
      }
      Route route = router.choose();
      int which = route == Route.DEVICE ? 0 : 1;
      free[which] =
          Math.max(free[which], now) + (route == Route.DEVICE ? deviceNanos : dataNodeNanos);
      underWay.add(new Read(route, router.begin(route), now, free[which]));
    }
    return 1e6 * READS / now;
  }

  private double rate(boolean balances, int readers, long deviceNanos, long dataNodeNanos) {
    return rate(
        Router.positional(new NewReads(), counters, () -> 0, balances),
        readers,
        deviceNanos,
        dataNodeNanos);
  }

  @Test
  void twoRoutesThatAreAsFastGiveTwiceAsMuch() {
    double one = 1e6 / 100_000;
    assertThat(rate(true, 8, 100_000, 100_000)).isGreaterThan(1.8 * one);
  }

  @Test
  void aSlowerRouteAddsWhatItHas() {
    double best = 1e6 / 100_000;
    assertThat(rate(true, 8, 100_000, 300_000)).isGreaterThan(1.25 * best);
    assertThat(rate(true, 8, 300_000, 100_000)).isGreaterThan(1.25 * best);
  }

  /** What one reader finds out does not keep many from both routes. */
  @Test
  void manyReadersBehindASingleOneGoBothWays() {
    Router router = Router.positional(new NewReads(), counters, () -> 0, true);
    assertThat(rate(router, 1, 300_000, 100_000)).isGreaterThan(0.95 * 1e6 / 100_000);
    assertThat(rate(router, 8, 100_000, 100_000)).isGreaterThan(1.8 * 1e6 / 100_000);
  }

  @Test
  void aSingleReaderGoesTheBetterWay() {
    assertThat(rate(true, 1, 100_000, 200_000)).isGreaterThan(0.98 * 1e6 / 100_000);
    assertThat(counters.routeChanges.sum()).isZero();
  }

  /** Reads that went both ways are no probes that were too dear, for which later ones must wait. */
  @Test
  void aRouteThatGrowsFastBehindABusyTimeIsFoundSoon() {
    Router router = Router.positional(new NewReads(), counters, () -> 0, true);
    for (int i = 0; i < 20_000; i++) {
      router.sample(Route.DEVICE, 8, 100_000);
      router.sample(Route.DATANODE, 1, i % 2 == 0 ? 105_000 : 135_000);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    for (int i = 0; i < 1000; i++) {
      Route route = router.choose();
      int began = router.begin(route);
      router.end(route);
      router.sample(route, began, route == Route.DEVICE ? 100_000 : 10_000);
    }
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }

  @Property(tries = 200, seed = "20261128")
  void neverMuchWorseThanTheBetterRoute(
      @ForAll @IntRange(min = 1, max = 64) int readers,
      @ForAll @IntRange(min = 10_000, max = 3_000_000) int device,
      @ForAll @IntRange(min = 10_000, max = 3_000_000) int dataNode) {
    // Which one is better takes some reads to find out.
    double noticed =
        (double) READS / (READS + 300.0 * Math.max(device, dataNode) / Math.min(device, dataNode));
    assertThat(rate(true, readers, device, dataNode))
        .isGreaterThan(0.95 * noticed * 1e6 / Math.min(device, dataNode));
  }
}
