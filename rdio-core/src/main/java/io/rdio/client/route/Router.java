// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.time.MonotonicClock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the faster route for reads of one kind from one device. Thread-safe; a choice takes no
 * lock.
 *
 * <p>Reads go the present route, or both in a router that balances: then the next one goes by the
 * other route if that would have it sooner by a twentieth, with all that is under way by either,
 * and what is known of that route comes of the reads that it gets, and of single ones. Whether the
 * other route is better is found out by {@link Trial}s else, in which all readers take part, and
 * which are paid for afterwards out of a small {@link Allowance}. Single reads by the other route
 * have an allowance of their own, and call for a trial where they look good ({@link Signs}). So do
 * reads that go as usual and take longer than they did, as soon as that has cost more than a trial
 * may: neither waits until earlier trials are paid for. So the cost against always going the better
 * route is a small share of the time, and a part of what changes cost. Reads behind a trial or a
 * single read, which may be cold in their turn, are paid for by the same allowance, and count for
 * nothing.
 *
 * <p>Of units of a run, and of sets of ranges, single ones are all that is tried. What warms a run
 * up for one ({@link #warmedUp}), and the unit behind it, are paid for as well.
 *
 * <p>A route that failed a read is left at once, and is not tried again before a single read has
 * gone well, which waits for a while ({@link Outage}). What a failed read took is lost, up to that
 * while, which grows: so one that fails again and again costs little, too. Where the route that is
 * left grows slower meanwhile, the single read is made on credit: once that has cost twice what a
 * trial may lose, and twice all that the last failure took. So failures on credit are a part of
 * what changes cost, however long each of them hangs.
 *
 * <p>Begins with the device, which is what RDIO is for.
 */
public final class Router {
  /** Of all time, what single reads may lose. */
  private static final int SIGNS_SHARE = 80;

  /**
   * When reads take longer, the other route is tried once that has cost so many times what the
   * trial may lose: to wait for longer costs more than to know.
   */
  private static final double WAITED = 2;

  /** Reads by the present plan that another one can be judged by. */
  private static final int ENOUGH = 16;

  /** One thing that warms up counts as at most so many reads: one pause of the JVM is no cost. */
  private static final int MOST_LOST = 8;

  private final RouteEstimates routes = new RouteEstimates();
  private final NewReads newReads;
  private final ClientCounters counters;
  private final boolean balances;
  private final Weighed kind;

  private final ReadTimes usual = new ReadTimes();
  private final Growth growth = new Growth();
  private final Allowance forSigns = new Allowance(SIGNS_SHARE);
  private final Signs signs = new Signs(forSigns);
  private final Parts parts = new Parts();
  private final TrialCalls calls = new TrialCalls(signs);
  private final Aftermath aftermath = new Aftermath(forSigns);
  private final AtomicReference<@Nullable Trial> trial = new AtomicReference<>();
  private final AtomicInteger advantage = new AtomicInteger();

  /** Reads of a lost trial that are still under way. */
  private final AtomicInteger late = new AtomicInteger();

  /** Of the route that is not the present one. */
  private final Outage outage;

  private volatile Route present = Route.DEVICE;

  private Router(
      NewReads newReads,
      ClientCounters counters,
      MonotonicClock clock,
      boolean balances,
      Weighed kind) {
    this.newReads = newReads;
    this.counters = counters;
    this.balances = balances;
    this.kind = kind;
    this.outage = new Outage(clock);
  }

  /**
   * One of reads by position.
   *
   * @param newReads of all routers
   * @param clock of back-off
   * @param balances whether reads may go both ways at once
   */
  static Router positional(
      NewReads newReads, ClientCounters counters, MonotonicClock clock, boolean balances) {
    return new Router(newReads, counters, clock, balances, Weighed.READS);
  }

  /**
   * One by which reads never go both ways at once.
   *
   * @param newReads of all routers
   * @param clock of back-off
   */
  static Router of(Weighed kind, NewReads newReads, ClientCounters counters, MonotonicClock clock) {
    return new Router(newReads, counters, clock, false, kind);
  }

  /** The route that the next read, or unit of a run, is to take. */
  public Route choose() {
    Trial open = trial.get();
    if (open == null && isTrialDue()) {
      open = beginTrial();
    }
    Route now = present;
    if (open != null) {
      return chooseInTrial(open, now);
    }
    if (isSignDue() && signs.take(signCost())) {
      counters.routeProbes.increment();
      if (!mixes()) {
        lookBack(forSigns);
      }
      late.set(0);
      return now.other();
    }
    return balances ? routes.quicker(now) : now;
  }

  private Route chooseInTrial(Trial open, Route now) {
    if (!open.send(routes.readers())) {
      end(open, Trial.Verdict.WORSE);
      return now;
    }
    counters.routeProbes.increment();
    return open.route();
  }

  private boolean isTrialDue() {
    if (!kind.tries
        || !outage.isOver()
        || mixes()
        || !aftermath.isOver()
        || usual.count() < ENOUGH) {
      return false;
    }
    double price = price();
    return growth.hasCost(WAITED * price) || calls.isAny(price, routes.readers());
  }

  /** What another trial may lose, by what the last one that was in vain lost, in nanoseconds. */
  private double price() {
    double least = Trial.COLD * usual.mean();
    return Math.max(routes.of(present.other()).trialPrice(), least) * routes.readers();
  }

  /** Whether reads go both ways now, which one that is alone does not. */
  private boolean mixes() {
    return balances && routes.readers() > 1;
  }

  private @Nullable Trial beginTrial() {
    if (trial.compareAndSet(null, newTrial(present.other()))) {
      growth.forget();
      calls.answered();
    }
    return trial.get();
  }

  private Trial newTrial(Route route) {
    return new Trial(route, routes.readers(), newReads.of(route));
  }

  /** One reader at a time looks at the other route: one that hangs there costs no other reader. */
  private boolean isSignDue() {
    return aftermath.isOver()
        && usual.count() >= (kind.tries ? ENOUGH : 1)
        && signs.isDue()
        && routes.of(present.other()).underWay() == 0
        && outage.mayAsk();
  }

  private double signCost() {
    return routes.signCost(present, usual.mean(), mixes());
  }

  /**
   * Whether a route is the present one and {@link #choose} would keep to it now: nothing else is
   * due. Changes nothing, so who does not choose behind a yes takes nothing from others.
   */
  public boolean staysWith(Route route) {
    return present == route
        && trial.get() == null
        && !isTrialDue()
        && !isSignDue()
        && !(balances && routes.quicker(route) != route);
  }

  /** The route of all reads but those that are to find out something. */
  public Route present() {
    return present;
  }

  /** Whether a route has failed, and no read has gone well by it since. */
  public boolean hasOutage() {
    return !outage.isOver();
  }

  /** What reads by that route, or units of a run, take on average, in nanoseconds; 0 if unknown. */
  public double usualNanos() {
    return usual.mean();
  }

  /**
   * What came in front of a unit by the other route, a connection or a queue that filled, took so
   * many nanoseconds more than the present route would have.
   */
  public void warmedUp(double lostNanos) {
    forSigns.lose(Math.max(0, Math.min(lostNanos, MOST_LOST * usual.mean())));
  }

  /** A read begins; the reads now under way by this route. */
  public int begin(Route route) {
    return routes.of(route).begin();
  }

  /** A read ended, well or not. */
  public void end(Route route) {
    routes.of(route).end();
  }

  /**
   * How long a read, or unit of a run, took that went well.
   *
   * @param began what {@link #begin} gave for it
   */
  public void sample(Route route, int began, long nanos) {
    newReads.done(route);
    Trial open = trial.get();
    if (open != null) {
      sampleInTrial(open, route, nanos);
      return;
    }
    Route now = present;
    boolean mixed = mixes();
    if (!mixed && route != now && late.get() > 0 && late.getAndDecrement() > 0) {
      return;
    }
    calls.read();
    RouteEstimate taken = routes.of(route);
    if (route == now || mixed) {
      sampleUsual(nanos);
    }
    if (route == now) {
      taken.sample(began, nanos);
    } else {
      sampleSign(taken, began, nanos, mixed);
    }
    if (mixed || route != now) {
      reconsider(now, mixed);
    }
  }

  /**
   * A unit of a run that ended with its block took so long, and went well.
   *
   * @param began what {@link #begin} gave for it
   * @param bytes of it
   */
  public void part(Route route, int began, long bytes, long nanos) {
    long unit = parts.add(route, bytes, nanos);
    if (unit > 0) {
      sample(route, began, unit);
    }
  }

  private void sampleUsual(long nanos) {
    forSigns.earn(nanos);
    calls.pays().earn(nanos);
    if (aftermath.isOver()) {
      growth.add(nanos, usual);
      if (!outage.isOver()
          && growth.hasCost(WAITED * Math.max(price(), (double) outage.lastTookNanos()))) {
        growth.forget();
        signs.confirm(true); // a trial is for a route that works: whether it does is worth a read
      }
    } else {
      aftermath.took(nanos, usual.mean());
    }
  }

  private void lookBack(Allowance pays) {
    // Of a run the next unit: behind another connection, or a device that had nothing to do.
    aftermath.begin((kind.tries ? Trial.COLD : 1) * routes.readers(), pays);
  }

  private void sampleInTrial(Trial open, Route route, long nanos) {
    if (route == open.route()) {
      Trial.Verdict verdict = open.add(nanos, usual);
      if (verdict != Trial.Verdict.OPEN) {
        end(open, verdict);
      }
    }
  }

  private void sampleSign(RouteEstimate there, int began, long nanos, boolean mixed) {
    if (!outage.mayAsk()) {
      return; // it was under way when another one failed, and says nothing of what is to come
    }
    boolean isBack = outage.end();
    double here = usual.mean();
    if (!mixed) {
      double paid = there.nanos();
      forSigns.lose(Math.max(0, Math.min((double) nanos - paid, paid)));
    }
    there.look(began, nanos, kind.lookWeight);
    if (!mixed) {
      boolean good = signs.add(nanos, here, isBack);
      signs.confirm(good && kind.tries && !calls.areSignsEnough(price()));
    }
    if (mixed
        ? (double) nanos < routes.of(present).nanos()
        : !kind.tries && (double) nanos < here) {
      forSigns.forgive();
      aftermath.forget(); // another one is to follow at once
    }
  }

  private void end(Trial over, Trial.Verdict verdict) {
    if (verdict == Trial.Verdict.WORSE) {
      late.set(routes.readers() - 1);
    }
    if (!trial.compareAndSet(over, null)) {
      return;
    }
    calls.pays().lose((double) over.lost());
    if (over.route() != present && over.times().mean() > 0) {
      signs.renew(over.times().mean(), over.readers());
    }
    if (verdict == Trial.Verdict.BETTER) {
      if (over.route() != present && !balances) {
        routes.of(present).put(usual.mean(), routes.readers());
        routes.of(over.route()).put(over.times().mean(), routes.readers());
      }
      usual.become(over.times());
      change(over.route());
    } else {
      routes.of(over.route()).trialPrice(over.price(usual.mean()));
      calls.inVain();
      lookBack(calls.pays());
    }
  }

  private void change(Route route) {
    if (present != route) {
      present = route;
      calls.forget();
      counters.routeChanges.increment();
    }
    aftermath.forget();
    advantage.set(0);
  }

  /**
   * A read could not be done by this route, and goes by the other one.
   *
   * @param nanos what it took to find out
   */
  public void failed(Route route, long nanos) {
    long lost = outage.failed(route, nanos);
    if (lost < 0) {
      return;
    }
    routes.of(route).forget();
    trial.set(null);
    growth.forget();
    signs.confirm(false);
    forSigns.lose((double) lost);
    if (present == route) {
      usual.forget();
      change(route.other());
    }
  }

  /** What single reads say where they are many, or so long that nothing else is tried. */
  private void reconsider(Route now, boolean mixed) {
    RouteEstimate there = routes.of(now.other());
    RouteEstimate at = routes.of(now);
    double here = mixed ? at.nanos() : usual.mean();
    int reads = mixed ? Math.max(1, at.underWay()) : routes.readers();
    boolean better = there.isKnown() && there.nanosWith(reads) < RouteEstimates.HYSTERESIS * here;
    if (!better) {
      advantage.set(0);
    } else if (advantage.incrementAndGet() >= kind.looks) {
      usual.forget();
      change(now.other());
      forSigns.lose(signCost()); // the route that was left is not asked again at once
    }
  }
}
