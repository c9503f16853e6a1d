// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RouteEstimatesTest {
  private static final long NANOS = 1_000_000;

  private final RouteEstimates routes = new RouteEstimates();

  private void take(Route route, long nanos) {
    routes.of(route).sample(1, nanos);
  }

  @Test
  void readersAreAllThatReadAndOneMore() {
    assertThat(routes.readers()).isEqualTo(1);
    routes.of(Route.DEVICE).begin();
    routes.of(Route.DATANODE).begin();
    assertThat(routes.readers()).isEqualTo(3);
    routes.of(Route.DEVICE).end();
    assertThat(routes.readers()).isEqualTo(2);
  }

  @Test
  void oneReadGoesAsUsual() {
    take(Route.DEVICE, 10 * NANOS);
    take(Route.DATANODE, NANOS);
    assertThat(routes.quicker(Route.DEVICE)).isEqualTo(Route.DEVICE);
  }

  @Test
  void anotherOneGoesWhereItIsBackSooner() {
    take(Route.DEVICE, NANOS);
    take(Route.DATANODE, 3 * NANOS / 2);
    routes.of(Route.DEVICE).begin();
    assertThat(routes.quicker(Route.DEVICE)).isEqualTo(Route.DATANODE);
    routes.of(Route.DATANODE).begin();
    assertThat(routes.quicker(Route.DEVICE)).isEqualTo(Route.DEVICE);
  }

  @Test
  void nowhereThatNothingIsKnownOf() {
    take(Route.DEVICE, NANOS);
    routes.of(Route.DEVICE).begin();
    assertThat(routes.quicker(Route.DEVICE)).isEqualTo(Route.DEVICE);
  }
}
