// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/** What is known of both routes to one device. Thread-safe without a lock. */
final class RouteEstimates {
  /** By so much a route is to be the quicker one before it is taken for it. */
  static final double HYSTERESIS = 0.95;

  private final RouteEstimate device = new RouteEstimate();
  private final RouteEstimate dataNode = new RouteEstimate();

  RouteEstimate of(Route route) {
    return route == Route.DEVICE ? device : dataNode;
  }

  /** Reads that would be under way with one more: 1 or more. */
  int readers() {
    return 1 + device.underWay() + dataNode.underWay();
  }

  /**
   * The route by which a read would be back sooner, with all that is under way by either.
   *
   * @param usually by which it goes unless the other one would be sooner, where others wait here
   */
  Route quicker(Route usually) {
    RouteEstimate here = of(usually);
    RouteEstimate there = of(usually.other());
    int queued = here.underWay();
    boolean sooner =
        queued > 0
            && there.isKnown()
            && there.nanosWith(there.underWay() + 1) < HYSTERESIS * here.nanosWith(queued + 1);
    return sooner ? usually.other() : usually;
  }
}
