// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Time in which a process runs, whatever its clock says. */
final class AwakeTimeTest {
  private static final Duration STEP = AwakeTime.STEP;

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
    run(STEP.multipliedBy(3));
    clock.advance(Duration.ofDays(1));
    awake.step();
    assertThat(awake.nanos()).isEqualTo(STEP.toNanos() * 4);
  }

  @Test
  void isCountedAsLongAsSomebodyWantsIt() {
    run(AwakeTime.AT_FIRST);
    assertThat(awake.step()).isEqualTo(Long.MAX_VALUE);
    long before = awake.nanos();
    assertThat(before).isEqualTo(AwakeTime.AT_FIRST.toNanos());
    run(STEP);
    assertThat(awake.nanos()).isEqualTo(before);

    awake.count(STEP.toNanos() * 2);

    assertThat(awake.step()).as("what nobody counted is not counted").isEqualTo(STEP.toNanos());
    run(STEP.multipliedBy(5));
    assertThat(awake.nanos()).isEqualTo(before + STEP.toNanos() * 2);
  }

  @Test
  void whatIsWantedForLongerStays() {
    awake.count(STEP.toNanos());
    run(AwakeTime.AT_FIRST);
    assertThat(awake.nanos()).isEqualTo(AwakeTime.AT_FIRST.toNanos());
  }
}
