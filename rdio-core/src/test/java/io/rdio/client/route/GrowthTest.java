// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GrowthTest {
  private final Growth growth = new Growth();
  private final ReadTimes usual = new ReadTimes();

  private void read(int reads, long nanos) {
    for (int i = 0; i < reads; i++) {
      growth.add(nanos, usual);
    }
  }

  @Test
  void readsThatTakeAsLongAsEverCostNothing() {
    read(1_000, 100);

    assertThat(growth.hasCost(0)).isFalse();
  }

  @Test
  void whatReadsTakeLongerIsSummedUpSinceTheyGrew() {
    read(200, 100);
    read(40, 300);

    assertThat(growth.hasCost(10 * 200)).isTrue();
    assertThat(growth.hasCost(40 * 200)).as("those that showed it are not among them").isFalse();
  }

  @Test
  void aPassingPauseIsNone() {
    read(200, 100);
    read(4, 10_000);
    read(200, 100);

    assertThat(growth.hasCost(0)).isFalse();
  }

  @Test
  void forgottenItTakesAnotherOne() {
    read(200, 100);
    read(200, 300);
    growth.forget();
    read(200, 300);
    assertThat(growth.hasCost(0)).isFalse();

    read(100, 1_000);

    assertThat(growth.hasCost(1_000)).isTrue();
  }
}
