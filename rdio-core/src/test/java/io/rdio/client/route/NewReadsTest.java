// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NewReadsTest {
  private final NewReads newReads = new NewReads();

  @Test
  void eachRouteHasItsOwn() {
    for (int i = 0; i < 100; i++) {
      newReads.done(Route.DATANODE);
    }

    assertThat(newReads.of(Route.DATANODE)).isEqualTo(156);
    assertThat(newReads.of(Route.DEVICE)).isEqualTo(256);
  }

  @Test
  void behindThemNoneIsNew() {
    for (int i = 0; i < 300; i++) {
      newReads.done(Route.DEVICE);
    }

    assertThat(newReads.of(Route.DEVICE)).isZero();
  }
}
