// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class GrowthTest {
  private final Growth growth = new Growth();

  @Test
  void costThatGrowsWithTheWorkIsOrdinary() {
    growth.add(100, 3_000);
    growth.add(200, 6_100);
    growth.add(400, 12_000);
    assertThat(growth.exponent()).isCloseTo(1, within(1e-9));
    assertThat(growth.isSuperlinear()).isFalse();
  }

  @Test
  void costThatGrowsWithTheSquareOfTheWorkIsNot() {
    growth.add(100, 1_000);
    growth.add(400, 16_000);
    assertThat(growth.exponent()).isCloseTo(2, within(1e-9));
    assertThat(growth.isSuperlinear()).isTrue();
  }

  @Test
  void oneClusterSaysNothing() {
    assertThat(growth.exponent()).isNaN();
    growth.add(100, 1_000);
    assertThat(growth.exponent()).isNaN();
    assertThat(growth.isSuperlinear()).isFalse();
  }
}
