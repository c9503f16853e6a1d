// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.ManualClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A run by a device whose units grow slower, where earlier looks are not paid for. */
class SlowerUnitsTest {
  private static final long QUICK = 2_700_000;
  private static final long SLOW = 5_030_000;

  private long dataNode = 3_450_000;
  private final Router router =
      Router.of(Weighed.RUNS, new NewReads(), new ClientCounters(), new ManualClock());

  private Route unit(long deviceNanos) {
    Route route = router.choose();
    int underWay = router.begin(route);
    router.end(route);
    router.sample(route, underWay, route == Route.DEVICE ? deviceNanos : dataNode);
    return route;
  }

  @BeforeEach
  void readAndOwe() {
    for (int i = 0; i < 500; i++) {
      unit(QUICK);
    }
    assertThat(router.present()).isEqualTo(Route.DEVICE);
    for (int i = 0; i < 100; i++) {
      router.warmedUp(QUICK);
    }
  }

  /** It takes less than twice as long, as a busy one was seen to in order. */
  @Test
  void theRunLeavesItWithinFewUnits() {
    int units = 0;
    while (router.present() == Route.DEVICE && units < 1000) {
      unit(SLOW);
      units++;
    }
    assertThat(units).isBetween(4, 20);
  }

  @Test
  void pausesAreNoReasonToLook() {
    for (int i = 0; i < 300; i++) {
      assertThat(unit(i % 50 == 0 ? 50 * QUICK : QUICK)).isEqualTo(Route.DEVICE);
    }
  }

  @Test
  void oneLookTellsThatTheDataNodeIsSlowerStill() {
    dataNode = 5_500_000;
    int looks = 0;
    for (int i = 0; i < 300; i++) {
      looks += unit(SLOW) == Route.DATANODE ? 1 : 0;
    }
    assertThat(looks).isEqualTo(1);
    assertThat(router.present()).isEqualTo(Route.DEVICE);
  }
}
