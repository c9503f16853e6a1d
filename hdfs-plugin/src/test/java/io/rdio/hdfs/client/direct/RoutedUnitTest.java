// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.route.Route;
import io.rdio.client.route.Routers;
import io.rdio.hdfs.client.direct.RoutedUnit.State;
import org.junit.jupiter.api.Test;

class RoutedUnitTest {
  private static final int WHOLE = Routers.RUN_UNIT;
  private static final long REST = 16L * WHOLE;
  private static final long USUAL = 1000;

  private final RoutedUnit unit = new RoutedUnit();

  private State add(int bytes, long nanos) {
    return unit.add(1, bytes, nanos, USUAL);
  }

  @Test
  void oneOfARunIsOverBehindSoManyBytes() {
    unit.begin(Route.DEVICE, false, false, REST);
    assertThat(unit.isOver()).isFalse();
    assertThat(unit.hasBegun()).isFalse();
    assertThat(unit.add(3, WHOLE / 2, 100, USUAL)).isEqualTo(State.GOES_ON);
    assertThat(unit.add(5, WHOLE, 500, USUAL)).isEqualTo(State.OVER);
    assertThat(unit.underWay()).as("as it began").isEqualTo(3);
    assertThat(unit.wholeNanos()).isEqualTo(400);
    assertThat(unit.lostNanos(USUAL)).isEqualTo(600 - 1500.0);
  }

  @Test
  void aPositionalReadIsOne() {
    unit.begin(Route.DATANODE, true, true, 4096);
    assertThat(add(4096, 77 * USUAL)).isEqualTo(State.OVER);
    assertThat(unit.isMeasure()).isTrue();
    assertThat(unit.wholeNanos()).isEqualTo(77 * USUAL);
  }

  @Test
  void whatALookTakesAtFirstDoesNotCount() {
    unit.begin(Route.DATANODE, true, false, REST);
    assertThat(unit.isWarmingUp()).isTrue();
    assertThat(add(WHOLE / 2, 1500)).isEqualTo(State.GOES_ON);
    assertThat(unit.isMeasure()).isFalse();
    assertThat(add(WHOLE / 2, 500)).isEqualTo(State.WARMED_UP);
    assertThat(unit.lostNanos(USUAL)).isEqualTo(1000);
    unit.warmedUp();
    assertThat(unit.hasBegun()).isTrue();
    assertThat(unit.isWarmingUp()).isFalse();
    assertThat(add(WHOLE / 2, 100)).isEqualTo(State.GOES_ON);
    assertThat(unit.isMeasure()).isTrue();
    assertThat(add(WHOLE / 2, 100)).isEqualTo(State.OVER);
    assertThat(unit.wholeNanos()).isEqualTo(200);
  }

  @Test
  void inAShortBlockALookCountsFromTheFirstByteOn() {
    int rest = 2 * WHOLE - 1;
    assertThat(RoutedUnit.isLong(rest)).isFalse();
    unit.begin(Route.DEVICE, true, false, rest);
    assertThat(unit.isWarmingUp()).isFalse();
    assertThat(add(WHOLE / 16, 100 * USUAL)).isEqualTo(State.GOES_ON);
    assertThat(unit.isMeasure()).isFalse();
    assertThat(add(WHOLE / 16, 100)).isEqualTo(State.GOES_ON);
    assertThat(unit.isMeasure()).isTrue();
    assertThat(unit.wholeNanos()).isEqualTo(8 * (100 * USUAL + 100));
  }

  @Test
  void aBusyWayIsLeftBeforeTheFirstUnitIsOver() {
    unit.begin(Route.DEVICE, true, false, REST);
    assertThat(add(WHOLE / 4, 3 * USUAL)).isEqualTo(State.GOES_ON);
    assertThat(add(WHOLE / 4, 1)).isEqualTo(State.BUSY);
    assertThat(unit.busyNanos(USUAL)).isEqualTo(3 * USUAL + 1 + USUAL / 2);
  }

  @Test
  void whatItTakesToConnectIsNotBusy() {
    unit.begin(Route.DATANODE, true, false, REST);
    assertThat(add(1000, 100 * USUAL)).isEqualTo(State.GOES_ON);
    assertThat(unit.leftToWarmUp()).isEqualTo(WHOLE - 1000);
    assertThat(add(1000, 3 * USUAL)).isEqualTo(State.GOES_ON);
    assertThat(add(WHOLE / 2 - 2000, 1)).isEqualTo(State.BUSY);
    assertThat(unit.busyNanos(USUAL)).isEqualTo(3 * USUAL + 1 + USUAL / 2);
    assertThat(unit.openingNanos()).isEqualTo(100.0 * USUAL);
  }

  @Test
  void nothingIsBusyThatGoesAsUsual() {
    unit.begin(Route.DATANODE, false, false, REST);
    assertThat(add(1000, 100 * USUAL)).isEqualTo(State.GOES_ON);
    assertThat(unit.isByDataNode()).isTrue();
  }

  @Test
  void whatEndsOrFallsBackIsOver() {
    unit.begin(Route.DATANODE, true, false, REST);
    unit.end();
    assertThat(unit.isOver()).isTrue();
    assertThat(unit.isByDataNode()).isTrue();
    unit.begin(Route.DATANODE, true, false, REST);
    unit.fallBackToDevice();
    assertThat(unit.isOver()).isTrue();
    assertThat(unit.isWarmingUp()).isFalse();
    assertThat(unit.route()).isEqualTo(Route.DEVICE);
  }
}
