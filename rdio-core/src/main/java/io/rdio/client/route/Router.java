// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses the faster route for reads of one kind from one device. Thread-safe; a choice takes no
 * lock.
 *
 * <p>Reads go the present route, but for probes of the other one, which may take a 64th of all time
 * and no more: that is what bounds the cost against always going the better route, whatever the
 * ratio of the two. Those of reads by position come four in a row, and the first one counts for
 * nothing: it may have made a connection, or run code that nobody ran for long, which a route is
 * not to be judged by. What four take is paid for by a longer wait. A probe that was faster than
 * reads by the present route is followed by more at once. The route changes when the other one was
 * faster by a twentieth in several looks running, with all that is under way there at present. An
 * estimate that grew old while the other route was idle is put right by the first reads that go
 * there.
 *
 * <p>A route that failed a read is left at once, as one of which nothing is known any more; what
 * the failed read took is time that probes may not take, so the bound above holds for failures too.
 *
 * <p>A router that balances sends reads both ways at once: while reads are under way by the present
 * route, the next one goes by the other if that would have it sooner by a twentieth, with all that
 * is under way by either. So a second route adds what it has to give, and a single reader notices
 * nothing of it.
 *
 * <p>Begins with the device, which is what RDIO is for.
 */
public final class Router {
  private static final int PROBE_SHARE = 64;

  /** What a probe of an unknown route is thought to cost, in reads by the present one. */
  private static final int UNKNOWN_COST = 4;

  /** Probes in a row. A router that balances takes them one by one, and so does one of runs. */
  private static final int ROW = 4;

  private static final double HYSTERESIS = 0.95;
  private static final int LOOKS = 8;

  private final RouteEstimate device = new RouteEstimate();
  private final RouteEstimate dataNode = new RouteEstimate();
  private final ClientCounters counters;
  private final boolean balances;
  private final int row;
  private final AtomicLong probeNanos = new AtomicLong();
  private final AtomicInteger burst = new AtomicInteger();
  private final AtomicInteger advantage = new AtomicInteger();
  private volatile boolean rowBegins;
  private volatile Route present = Route.DEVICE;

  private Router(ClientCounters counters, boolean balances, int row) {
    this.counters = counters;
    this.balances = balances;
    this.row = row;
  }

  /**
   * One of reads by position.
   *
   * @param balances whether reads may go both ways at once
   */
  public static Router positional(ClientCounters counters, boolean balances) {
    return new Router(counters, balances, balances ? 1 : ROW);
  }

  /** One of units of a run, each of which is long enough to judge a route by. */
  public static Router sequential(ClientCounters counters) {
    return new Router(counters, false, 1);
  }

  /** The route that the next read, or unit of a run, is to take. */
  public Route choose() {
    Route route = present;
    RouteEstimate here = estimate(route);
    RouteEstimate there = estimate(route.other());
    double cost = probeCost(here, there);
    if (isPaid(cost)) {
      counters.routeProbes.increment();
      return route.other();
    }
    return balances && isSooner(there, here) ? route.other() : route;
  }

  /** Whether a probe may be now: the next of a row, on credit, or the first of another one. */
  private boolean isPaid(double cost) {
    int left = burst.get();
    if (left > 0 && burst.compareAndSet(left, left - 1)) {
      probeNanos.addAndGet((long) -cost);
      return true;
    }
    long budget = probeNanos.get();
    if (!isDue(cost, budget) || !probeNanos.compareAndSet(budget, budget - (long) cost)) {
      return false;
    }
    rowBegins = row > 1;
    burst.set(row - 1);
    return true;
  }

  /**
   * Whether a route is the present one and {@link #choose} would keep to it now: no probe is due.
   * Changes nothing, so who does not choose behind a yes takes nothing from probes.
   */
  public boolean staysWith(Route route) {
    RouteEstimate here = estimate(route);
    RouteEstimate there = estimate(route.other());
    return present == route
        && burst.get() == 0
        && !isDue(probeCost(here, there), probeNanos.get())
        && !(balances && isSooner(there, here));
  }

  private static double probeCost(RouteEstimate here, RouteEstimate there) {
    return there.isKnown() ? there.nanosWith(here.underWay()) : UNKNOWN_COST * here.nanos();
  }

  private static boolean isDue(double cost, long budget) {
    return cost > 0 && budget >= cost;
  }

  /** Whether a read would be back sooner by the other route, as many as are under way. */
  private static boolean isSooner(RouteEstimate there, RouteEstimate here) {
    int queued = here.underWay();
    return queued > 0
        && there.isKnown()
        && there.nanosWith(there.underWay() + 1) < HYSTERESIS * here.nanosWith(queued + 1);
  }

  /** The route of all reads but probes. */
  public Route present() {
    return present;
  }

  /** A read begins; the reads now under way by this route. */
  public int begin(Route route) {
    return estimate(route).begin();
  }

  /** A read ended, well or not. */
  public void end(Route route) {
    estimate(route).end();
  }

  /**
   * How long a read, or unit of a run, took that went well.
   *
   * @param began what {@link #begin} gave for it
   */
  public void sample(Route route, int began, long nanos) {
    Route now = present;
    RouteEstimate taken = estimate(route);
    if (route == now) {
      probeNanos.addAndGet(nanos / PROBE_SHARE);
      taken.sample(began, nanos, false);
    } else {
      if (!balances) { // else it may have been no probe, and paid for nothing
        // Dearer than it was thought to be when it was paid for: the next probe comes later. Not
        // for long: what took so long may be over by then.
        long paid = (long) taken.nanosWith(began);
        probeNanos.addAndGet(-Math.max(0, Math.min(nanos - paid, paid)));
      }
      if (rowBegins && taken.isKnown()) {
        rowBegins = false;
        return;
      }
      rowBegins = false;
      taken.sample(began, nanos, true);
      if (nanos < estimate(now).nanos()) {
        // Perhaps things have changed there, which the next reads are to tell.
        probeNanos.accumulateAndGet((long) taken.nanosWith(began), Math::max);
      }
    }
    reconsider(now);
  }

  /**
   * A read could not be done by this route, and goes by the other one.
   *
   * @param nanos what it took to find out
   */
  public void failed(Route route, long nanos) {
    estimate(route).forget();
    burst.set(0);
    probeNanos.accumulateAndGet(nanos, (budget, lost) -> Math.min(budget, 0) - lost);
    if (present == route) {
      present = route.other();
      advantage.set(0);
      counters.routeChanges.increment();
    }
  }

  private void reconsider(Route now) {
    RouteEstimate here = estimate(now);
    RouteEstimate there = estimate(now.other());
    int reads = Math.max(1, here.underWay());
    boolean better = there.isKnown() && there.nanosWith(reads) < HYSTERESIS * here.nanos();
    if (!better) {
      advantage.set(0);
    } else if (advantage.incrementAndGet() >= LOOKS) {
      present = now.other();
      advantage.set(0);
      probeNanos.set(0);
      burst.set(0);
      counters.routeChanges.increment();
    }
  }

  private RouteEstimate estimate(Route route) {
    return route == Route.DEVICE ? device : dataNode;
  }
}
