// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class BackOffTest {
  private long nanos = -7;
  private double random;
  private final BackOff backOff =
      new BackOff(Duration.ofMillis(100), Duration.ofMillis(350), () -> nanos, () -> random);

  private long leftMillis() {
    return TimeUnit.NANOSECONDS.toMillis(backOff.leftNanos());
  }

  @Test
  void nothingIsLeftBeforeAFailure() {
    assertThat(backOff.leftNanos()).isLessThanOrEqualTo(0);
    assertThat(backOff.succeeded()).isFalse();
  }

  @Test
  void pausesDoubleUpToTheLongest() {
    random = 1;
    assertThat(backOff.failed(0)).isTrue();
    assertThat(leftMillis()).isEqualTo(100);
    assertThat(backOff.failed(0)).isFalse();
    assertThat(leftMillis()).isEqualTo(200);
    backOff.failed(0);
    assertThat(leftMillis()).isEqualTo(350);
    backOff.failed(0);
    assertThat(leftMillis()).isEqualTo(350);
  }

  @Test
  void halfOfAPauseIsChance() {
    random = 0;
    backOff.failed(0);
    assertThat(leftMillis()).isEqualTo(50);
    random = 0.5;
    backOff.failed(0);
    assertThat(leftMillis()).isEqualTo(150);
  }

  @Test
  void whatTheOtherSideAsksForComesOnTop() {
    backOff.failed(TimeUnit.SECONDS.toNanos(2));
    assertThat(leftMillis()).isEqualTo(2050);
  }

  @Test
  void successBeginsAnew() {
    backOff.failed(0);
    backOff.failed(0);
    assertThat(backOff.succeeded()).isTrue();
    assertThat(backOff.leftNanos()).isLessThanOrEqualTo(0);
    assertThat(backOff.failed(0)).isTrue();
    assertThat(leftMillis()).isEqualTo(50);
  }

  @Test
  void pauseEnds() {
    backOff.failed(0);
    nanos += TimeUnit.MILLISECONDS.toNanos(50);
    assertThat(backOff.leftNanos()).isLessThanOrEqualTo(0);
  }
}
