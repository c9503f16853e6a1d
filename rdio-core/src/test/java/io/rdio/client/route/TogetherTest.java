// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whether runs go by both ways, by what their units take. */
class TogetherTest {
  private static final long NANOS = 1_000_000;
  private static final int MANY = 10_000;

  private final Together together = new Together();
  private int unitsByBoth;

  /** Time of so many units, each of which takes so long by one way, or by both. */
  private double run(int units, double apart, double both) {
    double sum = 0;
    for (int i = 0; i < units; i++) {
      boolean on = together.isOn();
      double nanos = NANOS * (on ? both : apart);
      together.unit((long) nanos, on);
      unitsByBoth += on ? 1 : 0;
      sum += nanos;
    }
    return sum / NANOS;
  }

  @Test
  void staysWhereItIsFaster() {
    assertThat(run(MANY, 1, 0.6)).isLessThan(1.03 * 0.6 * MANY);
    assertThat(together.isOn()).isTrue();
  }

  @Test
  void costsLittleWhereItIsSlower() {
    assertThat(run(MANY, 1, 1.25)).isLessThan(1.02 * MANY);
    assertThat(unitsByBoth).isPositive();
  }

  @Test
  void costsLittleWhereItIsHopeless() {
    assertThat(run(MANY, 1, 20)).isLessThan(1.02 * MANY);
    assertThat(unitsByBoth).isPositive();
  }

  @Test
  void isSeldomTriedWhereItGainsNothing() {
    run(MANY, 1, 1);
    assertThat(unitsByBoth).isBetween(Together.COUNTED, MANY / 16);
  }

  @Test
  void isTriedAtOnceWhereOneWayGrowsSlow() {
    run(MANY, 1, 1);
    unitsByBoth = 0;
    run(200, 5, 2);
    assertThat(unitsByBoth).isGreaterThan(100);
  }

  @Test
  void isLeftWhereItGrowsSlow() {
    run(1000, 1, 0.6);
    assertThat(together.isOn()).isTrue();
    unitsByBoth = 0;
    run(200, 1, 3);
    assertThat(unitsByBoth).isBetween(1, 40);
  }

  @Test
  void isLeftWhereOneWayIsAsFastByNow() {
    run(1000, 1, 0.6);
    run(MANY, 0.6, 0.6);
    unitsByBoth = 0;
    run(200, 0.6, 0.6);
    assertThat(unitsByBoth)
        .as("a trial at most")
        .isLessThanOrEqualTo(Together.FILLING + Together.COUNTED);
  }

  private void bring(double bytes, long nanosForUnit) {
    for (double brought = 0; brought < bytes; brought += Routers.RUN_UNIT) {
      together.brought(Routers.RUN_UNIT, nanosForUnit);
    }
  }

  @Test
  void isLeftWhereTheSecondWayIsFasterAlone() {
    run(1000, 1, 0.6);
    bring(Together.ALONE / 4, NANOS / 2);
    run(10, 1, 0.6);
    assertThat(together.isOn()).as("a few ranges may have come fast by chance").isTrue();
    bring(Together.ALONE, NANOS / 2);
    run(10, 1, 0.6);
    assertThat(together.isOn()).isFalse();
  }

  @Test
  void isLeftAtOnceWhereTheSecondWayFailsAndTriedAgainLater() {
    run(1000, 1, 0.6);
    together.failed();
    assertThat(together.isOn()).isFalse();
    unitsByBoth = 0;
    run(Together.REST - 1, 1, 0.6);
    assertThat(unitsByBoth).isZero();
    run(MANY, 1, 0.6);
    assertThat(unitsByBoth).isGreaterThan(MANY / 2);
  }

  @Test
  void aFailureBeforeItIsTriedHasItRest() {
    together.failed();
    run(Together.REST - 1, 1, 0.6);
    assertThat(unitsByBoth).isZero();
    run(MANY, 1, 0.6);
    assertThat(unitsByBoth).isGreaterThan(MANY / 2);
  }

  /** Of runs that are too short for ranges, say. */
  @Test
  void unitsThatAreOfOneWayAreNoMeasureOfBoth() {
    run(Together.ENOUGH, 1, 1);
    assertThat(together.isOn()).isTrue();
    for (int i = 0; i < Together.MOST; i++) {
      assertThat(together.isOn()).isTrue();
      together.unit(NANOS / 10, false);
    }
    assertThat(together.isOn()).isFalse();
  }

  @Test
  void whatWasBroughtAtFirstIsNoMeasureEither() {
    run(Together.ENOUGH, 1, 1);
    for (int i = 0; i < Together.FILLING; i++) {
      together.unit(NANOS / 10, true);
    }
    run(2 * Together.COUNTED, 1, 1);
    assertThat(together.isOn()).isFalse();
  }

  @Test
  void aWayThatIsLateIsThoughtToBeSlower() {
    assertThat(together.nanosPerByte()).isZero();
    together.brought(100, 200);
    assertThat(together.nanosPerByte()).isEqualTo(2);
    together.late();
    assertThat(together.nanosPerByte()).isEqualTo(4);
    for (int i = 0; i < 100; i++) {
      together.brought(100, 200);
    }
    assertThat(together.nanosPerByte()).isLessThan(2.01);
    run(Together.ENOUGH, 1, 1);
    assertThat(together.isOn()).isTrue();
    assertThat(together.nanosPerByte()).as("a trial begins anew").isZero();
  }
}
