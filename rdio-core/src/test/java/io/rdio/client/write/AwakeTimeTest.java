// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Time in which a process runs, whatever its clock says. */
final class AwakeTimeTest {
  private static final Duration STEP = AwakeTime.STEP;
  private static final long LONG_NANOS = STEP.toNanos() * 100;

  private final ManualClock clock = new ManualClock();
  private final AwakeTime awake = new AwakeTime(clock);

  private void run(Duration time) {
    for (Duration left = time; !left.isZero(); left = left.minus(STEP)) {
      clock.advance(STEP);
      awake.step();
    }
  }

  @Test
  void stepsAreCountedWhenTheyAreOver() {
    awake.count(LONG_NANOS);
    assertThat(awake.step()).isEqualTo(STEP.toNanos());
    clock.advance(STEP.dividedBy(4));
    assertThat(awake.step()).isEqualTo(STEP.toNanos() * 3 / 4);
    assertThat(awake.nanos()).isZero();
    clock.advance(STEP.multipliedBy(3).dividedBy(4));
    assertThat(awake.step()).isEqualTo(STEP.toNanos());
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos());
  }

  /** A machine that stood still, and whose clock has gone on, or jumps behind it. */
  @Test
  void pauseOfTheMachineCountsForOneStep() {
    awake.count(LONG_NANOS);
    run(STEP.multipliedBy(3));
    clock.advance(Duration.ofDays(1));
    awake.step();
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos() * 4);
  }

  @Test
  void isCountedAsLongAsSomebodyWantsIt() {
    assertThat(awake.step()).isEqualTo(Long.MAX_VALUE);
    run(STEP.multipliedBy(5));
    assertThat(awake.nanos()).isZero();

    awake.count(STEP.toNanos() * 2);

    assertThat(awake.step()).as("what nobody counted is not counted").isEqualTo(STEP.toNanos());
    run(STEP.multipliedBy(5));
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos() * 2);
    assertThat(awake.step()).isEqualTo(Long.MAX_VALUE);
    awake.count(STEP.toNanos());
    run(STEP.multipliedBy(5));
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos() * 3);
  }

  /** A time of so many steps would be shorter for it than they are. */
  @Test
  void whatBeginsInTheMidstOfAStepHasNotAllOfIt() {
    clock.advance(Duration.ofDays(1));
    assertThat(awake.mark()).as("nobody counts").isZero();
    awake.count(LONG_NANOS);
    assertThat(awake.mark()).isZero();
    clock.advance(STEP.dividedBy(4));
    assertThat(awake.mark()).isEqualTo(STEP.toNanos() / 4);
    clock.advance(Duration.ofDays(1));
    assertThat(awake.mark()).isEqualTo(STEP.toNanos());
    awake.step();
    assertThat(awake.mark()).isEqualTo(awake.nanos()).isEqualTo(STEP.toNanos());
  }

  @Test
  void whatIsWantedForLongerStays() {
    awake.count(STEP.toNanos() * 3);
    run(STEP);
    awake.count(STEP.toNanos());
    run(STEP.multipliedBy(5));
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos() * 3);
  }
}
