// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.time.MonotonicClock;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Looks at the device that are made beside reads by a DataNode: no reader waits for one, so a busy
 * device costs none of them anything. They are no measure, for they share the processors with the
 * reads, and of a run they are a small part of a unit; but what they take tells a busy device from
 * one that is worth a look by a reader. One at a time is under way, where a reader's own would be
 * due: so they have the same small share of the time.
 *
 * <p>One that cannot be made is made by a reader. One that the device fails is an {@link Outage} of
 * the device, and the next look is a reader's, when that allows it: so the device is asked by
 * readers for as long as it fails, and no more often than if one of them had waited for the look.
 *
 * <p>Thread-safe without a lock, but where the device fails.
 */
public final class LooksBeside {
  /** The device is busy if it takes so many times as long as the DataNode. */
  private static final double BUSY = 3;

  /** A fall to such a part of what the device took is hardly by chance, though it may be long. */
  private static final double FELL = 1.0 / 4;

  /**
   * A reader looks for itself behind so many that found a busy device, for what takes long alone
   * may still be fast when much of it is under way.
   */
  static final int MOST_BUSY = 16;

  /** No time: none is under way. */
  private static final long NONE = 0;

  private final Router router;
  private final Weighed kind;
  private final RouteEstimate device;
  private final Signs signs;
  private final Outage outage;
  private final ClientCounters counters;
  private final MonotonicClock clock;
  private final AtomicInteger busy = new AtomicInteger();

  /** When the one began that is under way. */
  private final AtomicLong begun = new AtomicLong(NONE);

  /** Whether the device failed the last one, and no reader has asked it since. */
  private volatile boolean forReader;

  /**
   * @param router whose reads are looked beside
   * @param routes what is known of both
   * @param signs that the router goes by
   * @param outage of the router's other route
   * @param clock of the outage
   */
  LooksBeside(
      Router router,
      Weighed kind,
      RouteEstimates routes,
      Signs signs,
      Outage outage,
      ClientCounters counters,
      MonotonicClock clock) {
    this.router = router;
    this.kind = kind;
    this.device = routes.of(Route.DEVICE);
    this.signs = signs;
    this.outage = outage;
    this.counters = counters;
    this.clock = clock;
  }

  /**
   * Takes on the look at the device that {@link Router#choose} would have a reader make next;
   * {@link #took}, {@link #failed} or {@link #left} must follow. Only where reads go by a DataNode,
   * and no look by a reader is called for.
   *
   * @return false if there is to be none
   */
  public boolean begin() {
    boolean isFor = router.present() == Route.DATANODE && kind != Weighed.SETS;
    if (!isFor || forReader || signs.isAsked() || !router.isLookDue() || !isTheOnlyOne()) {
      return false;
    }
    // A unit of a run takes as long as many reads of the device, and this is one.
    boolean taken = signs.takePaid(kind.tries ? router.signCost() : router.usualNanos());
    if (taken) {
      counters.routeProbes.increment();
    } else {
      begun.set(NONE);
    }
    return taken;
  }

  private boolean isTheOnlyOne() {
    return begun.compareAndSet(NONE, clock.nanos() | 1); // a nanosecond more or less is no matter
  }

  /** The look went well, and a whole read, or unit of a run, would have taken so long. */
  public void took(long nanos) {
    // One that was under way when the device failed a read says nothing of what is to come.
    if (router.present() == Route.DATANODE && outage.mayAsk()) {
      outage.end(); // that it works is no reason for a trial: it may be busy
      if (isForAReader(nanos)) {
        signs.callForOne();
      } else if (kind.tries) {
        router.sampleBeside(nanos); // so that a later one is seen to have fallen
      }
    }
    begun.set(NONE);
  }

  private boolean isForAReader(long nanos) {
    double quick = Math.max(BUSY * router.usualNanos(), FELL * device.nanos());
    boolean is = (double) nanos <= quick || busy.incrementAndGet() >= MOST_BUSY;
    if (is) {
      busy.set(0);
    }
    return is;
  }

  /** The device failed the look, which took so long, as it would have failed a reader. */
  public void failed(long nanos) {
    if (router.present() == Route.DATANODE) { // no read has failed, so none leaves the device
      forReader = true;
      router.failed(Route.DEVICE, nanos);
    }
    begun.set(NONE);
  }

  /** The look could not be made, and that is no fault of the device: a reader is to make it. */
  public void left() {
    if (router.present() == Route.DATANODE) {
      signs.callForOne();
    }
    begun.set(NONE);
  }

  /** A reader looks. */
  void byReader() {
    forReader = false;
  }

  /**
   * Whether readers leave the device to one that is under way. One that hangs for longer than any
   * pause of an {@link Outage} keeps them from it no more, though there is no other one beside it.
   */
  boolean isWaitedFor() {
    long since = begun.get();
    return since != NONE
        && router.present() == Route.DATANODE
        && clock.nanos() - since < Outage.LONGEST_PAUSE.toNanos();
  }
}
