// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import io.rdio.client.counters.ClientCounters;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Looks at the device that are made beside reads by a DataNode: no reader waits for one, so a busy
 * device costs none of them anything. They are no measure, for they share the processors with the
 * reads, and of a run they are a small part of a unit; but what they take tells a busy device from
 * one that is worth a look by a reader. One at a time is under way, where a reader's own would be
 * due: so they have the same small share of the time. Thread-safe without a lock.
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

  private final Router router;
  private final Weighed kind;
  private final RouteEstimate device;
  private final Signs signs;
  private final ClientCounters counters;
  private final AtomicBoolean underWay = new AtomicBoolean();
  private final AtomicInteger busy = new AtomicInteger();

  /**
   * @param router whose reads are looked beside
   * @param device what is known of it
   * @param signs that the router goes by
   */
  LooksBeside(
      Router router, Weighed kind, RouteEstimate device, Signs signs, ClientCounters counters) {
    this.router = router;
    this.kind = kind;
    this.device = device;
    this.signs = signs;
    this.counters = counters;
  }

  /**
   * Takes on the look at the device that {@link Router#choose} would have a reader make next;
   * {@link #took} or {@link #left} must follow. Only where reads go by a DataNode, and no look by a
   * reader is called for.
   *
   * @return false if there is to be none
   */
  public boolean begin() {
    boolean isFor = router.present() == Route.DATANODE && kind != Weighed.SETS;
    if (!isFor || signs.isAsked() || !router.isLookDue() || !underWay.compareAndSet(false, true)) {
      return false;
    }
    // A unit of a run takes as long as many reads of the device, and this is one.
    boolean taken = signs.take(kind.tries ? router.signCost() : router.usualNanos());
    if (taken) {
      counters.routeProbes.increment();
    } else {
      underWay.set(false);
    }
    return taken;
  }

  /** The look went well, and a whole read, or unit of a run, would have taken so long. */
  public void took(long nanos) {
    if (router.present() == Route.DATANODE) {
      if (isForAReader(nanos)) {
        signs.callForOne();
      } else if (kind.tries) {
        router.sampleBeside(nanos); // so that a later one is seen to have fallen
      }
    }
    underWay.set(false);
  }

  private boolean isForAReader(long nanos) {
    double quick = Math.max(BUSY * router.usualNanos(), FELL * device.nanos());
    boolean is = (double) nanos <= quick || busy.incrementAndGet() >= MOST_BUSY;
    if (is) {
      busy.set(0);
    }
    return is;
  }

  /** The look could not be made. */
  public void left() {
    underWay.set(false);
  }

  boolean isUnderWay() {
    return underWay.get();
  }
}
