// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A router whose DataNode hangs for as long as it is asked, and then fails. */
final class FailingRouteTest {
  private static final long MICRO = 1_000;
  private static final long HANG = 60_000_000 * MICRO;

  private final ManualClock clock = new ManualClock();
  private final Router router =
      Router.positional(new NewReads(), new ClientCounters(), clock, false);

  /** A device that is busy again and again, beside a DataNode that hangs for good. */
  @Test
  void whatHangsIsASmallPartOfTheTimeHoweverOftenTheDeviceGrowsSlower() {
    long read = 0;
    long hung = 0;
    for (int phase = 0; phase < 240; phase++) {
      long device = (phase % 2 == 0 ? 3_000 : 30_000) * MICRO;
      for (int i = 0; i < 300; i++) {
        if (one(device) == Route.DATANODE) {
          hung += HANG;
        } else {
          read += device;
        }
      }
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    assertThat(hung).isBetween(HANG, read / 3);
  }

  /** A read that the device serves in a time, and the DataNode not at all. */
  private Route one(long deviceNanos) {
    Route route = router.choose();
    int underWay = router.begin(route);
    router.end(route);
    clock.advance(Duration.ofNanos(route == Route.DEVICE ? deviceNanos : HANG));
    if (route == Route.DEVICE) {
      router.sample(route, underWay, deviceNanos);
    } else {
      router.failed(route, HANG);
    }
    return route;
  }

  /** A device's failure that was under way when the DataNode failed is one all the same. */
  @Test
  void aRouteThatFailsBehindTheOtherIsLeftToo() {
    router.failed(Route.DATANODE, 100_000 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    router.failed(Route.DEVICE, 100_000 * MICRO);
    assertThat(router.present()).isEqualTo(Route.DATANODE);
  }
}
