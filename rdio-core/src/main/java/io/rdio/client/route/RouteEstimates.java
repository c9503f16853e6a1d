// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

/** What is known of both routes to one device. Thread-safe without a lock. */
final class RouteEstimates {
  /** By so much a route is to be the quicker one before it is taken for it. */
  static final double HYSTERESIS = 0.95;

  /** What a single read by an unknown route is thought to cost, in reads by the present one. */
  private static final int UNKNOWN_COST = 4;

  /** What it costs at least, so that there are not many of them. */
  private static final double LEAST_COST = 0.5;

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
   * What a single read by the route that is not the present one may cost, in nanoseconds.
   *
   * @param here what reads by the present one take
   * @param mixed whether reads go both ways
   */
  double signCost(Route present, double here, boolean mixed) {
    RouteEstimate there = of(present.other());
    double more = there.isKnown() ? there.nanos() - here : UNKNOWN_COST * here;
    if (mixed) {
      return there.isKnown() ? there.nanosWith(of(present).underWay()) : more;
    }
    return Math.max(more, LEAST_COST * here * readers());
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
