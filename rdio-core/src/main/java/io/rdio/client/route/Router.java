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
 * <p>Begins with the device, which is what RDIO is for. By which rules it goes on is said in the
 * {@linkplain io.rdio.client.route package's} page.
 */
public final class Router {
  /** Of all time, what single reads may lose. */
  private static final int SIGNS_SHARE = 80;

  /** Reads by the present plan that another one can be judged by. */
  private static final int ENOUGH = 16;

  /** One thing that warms up counts as at most so many reads: one pause of the JVM is no cost. */
  private static final int MOST_LOST = 8;

  private final RouteEstimates routes = new RouteEstimates();
  private final NewReads newReads;
  private final ClientCounters counters;
  private final boolean balances;
  private final Weighed kind;

  private final ReadTimes usual;
  private final Growth growth = new Growth();
  private final Allowance forSigns = new Allowance(SIGNS_SHARE);
  private final Signs signs = new Signs(forSigns);
  private final Parts parts = new Parts();
  private final TrialCalls calls = new TrialCalls(signs);
  private final Aftermath aftermath = new Aftermath(forSigns);
  private final LooksBeside beside;
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
    this.usual = kind.newTimes();
    this.outage = new Outage(clock);
    this.beside = new LooksBeside(this, kind, routes, signs, outage, counters, clock);
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

  /** One by which reads never go both ways at once; see {@link #positional}. */
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
      beside.byReader();
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
    return growth.callsFor(price)
        || (calls.isAny(price, routes.readers())
            && (signs.isAny() || !routes.isDeviceBusy(present, usual.mean())));
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
    Route route = present.other();
    if (trial.compareAndSet(null, new Trial(route, routes.readers(), newReads.of(route)))) {
      growth.forget();
      calls.answered();
    }
    return trial.get();
  }

  /** One reader at a time looks at the other route: one that hangs there costs no other reader. */
  private boolean isSignDue() {
    return aftermath.isOver()
        && usual.count() >= (kind.tries ? ENOUGH : 1)
        && signs.isDue()
        && routes.of(present.other()).underWay() == 0
        && !beside.isWaitedFor()
        && outage.mayAsk();
  }

  /** Whether {@link #choose} would have a single read look at the other route. */
  boolean isLookDue() {
    return trial.get() == null && !mixes() && isSignDue();
  }

  /** Looks at the device that need no reader. */
  public LooksBeside beside() {
    return beside;
  }

  /** What a single read may lose, in nanoseconds. */
  double signCost() {
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
      if (isLookCalledFor()) {
        growth.forget();
        signs.confirm(true);
      }
    } else {
      aftermath.took(nanos, usual.mean());
    }
  }

  /** Whether reads have grown slower where it is not a trial that finds out what follows. */
  private boolean isLookCalledFor() {
    if (!outage.isOver()) { // a trial is for a route that works: whether it does is worth a read
      return growth.callsFor(Math.max(price(), (double) outage.lastTookNanos()));
    }
    return kind == Weighed.RUNS && growth.callsFor(signCost());
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
    double paid = there.nanos();
    there.look(began, nanos, kind.lookWeight);
    if (!mixed) {
      forSigns.lose(Math.max(0, Math.min((double) nanos - paid, paid)));
      boolean good = signs.add(nanos, here, isBack);
      signs.confirm(good && kind.tries && !calls.areSignsEnough(price()));
    }
    if (mixed
        ? (double) nanos < routes.of(present).nanos()
        : !kind.tries && (double) nanos < here) {
      forSigns.forgive();
      aftermath.forget(); // another one is to follow at once
      if (kind == Weighed.RUNS) {
        signs.confirm(true); // by the reader, and not beside it
      }
    }
  }

  /** A single read by the device that no reader waited for took so long. */
  void sampleBeside(long nanos) {
    if (trial.get() == null) {
      sampleSign(routes.of(Route.DEVICE), 1, nanos, false);
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
      if (over.route() != present) {
        routes.of(present).put(usual.mean(), routes.readers());
      }
      if (!balances) {
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
    if (!routes.isOtherQuicker(now, usual.mean(), mixed)) {
      advantage.set(0);
    } else if (advantage.incrementAndGet() >= kind.looks) {
      usual.forget();
      change(now.other());
      forSigns.lose(signCost()); // the route that was left is not asked again at once
    }
  }
}
