// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartsTest {
  private static final int QUARTER = Routers.RUN_UNIT / 4;

  private final Parts parts = new Parts();

  @Test
  void asManyAsAUnitAreOneAndThenItBeginsAnew() {
    for (int i = 0; i < 2; i++) {
      assertThat(parts.add(Route.DEVICE, QUARTER, 10)).isZero();
      assertThat(parts.add(Route.DEVICE, 2 * QUARTER, 20)).isZero();
      assertThat(parts.add(Route.DEVICE, QUARTER, 30)).isEqualTo(60);
    }
  }

  @Test
  void moreThanAUnitSaysWhatOneTakes() {
    assertThat(parts.add(Route.DEVICE, 3 * QUARTER, 10)).isZero();
    assertThat(parts.add(Route.DEVICE, 3 * QUARTER, 50)).isEqualTo(40);
  }

  @Test
  void thoseOfBothRoutesAreNeverOne() {
    assertThat(parts.add(Route.DEVICE, 3 * QUARTER, 1000)).isZero();
    assertThat(parts.add(Route.DATANODE, 2 * QUARTER, 10)).isZero();
    assertThat(parts.add(Route.DATANODE, 2 * QUARTER, 10)).isEqualTo(20);
  }
}
