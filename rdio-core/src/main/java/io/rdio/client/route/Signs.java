// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What single reads by the route that is not the present one say: they are no measure of it, for
 * they are cold, but tell when it has changed. One that looks good is a sign. It is confirmed by
 * another one at once; so many in a row call for a trial, whatever earlier ones still owe.
 * Thread-safe without a lock.
 */
final class Signs {
  /** Twice as many behind each trial that was in vain. */
  private static final int MANY = 2;

  private static final int MOST_DOUBLINGS = 2;

  private final Allowance pays;
  private final Promise promise = new Promise();

  /** Whether a sign is to be confirmed by a single read that nobody has taken on yet. */
  private final AtomicBoolean asks = new AtomicBoolean();

  /** Single reads that looked good, one after the other; at first as if there had been many. */
  private volatile int row = MANY;

  /**
   * @param pays for what single reads lose
   */
  Signs(Allowance pays) {
    this.pays = pays;
  }

  /** Whether a single read may be made now. */
  boolean isDue() {
    return asks.get() || pays.isWithin(0);
  }

  /**
   * Takes on a single read, one reader at a time. One that confirms a sign is made on credit.
   *
   * @param cost what it may lose, in nanoseconds
   */
  boolean take(double cost) {
    if (asks.compareAndSet(true, false)) {
      pays.lose(cost);
      return true;
    }
    return pays.take(cost);
  }

  /**
   * A single read took so long.
   *
   * @param usual what reads by the present route take
   * @param isBack whether its route had failed: that it works again is enough
   * @return whether that looks good
   */
  boolean add(long nanos, double usual, boolean isBack) {
    boolean kept = promise.isKept(nanos, usual);
    row = isBack ? MANY << MOST_DOUBLINGS : kept ? row + 1 : 0;
    return kept;
  }

  /** Whether the last single read looked good; at first, that a trial is wanted. */
  boolean isAny() {
    return row > 0;
  }

  /**
   * Whether so many did, one after the other, that a trial may owe for them.
   *
   * @param inVain trials, one after the other
   */
  boolean areMany(int inVain) {
    return row >= MANY << Math.min(inVain, MOST_DOUBLINGS);
  }

  /** Has the next single read made whatever is still to be paid for, or not. */
  void confirm(boolean next) {
    asks.set(next);
  }

  /** A trial answers what they asked. */
  void answered() {
    row = 0;
  }

  /** What a trial found is what they are held against; see {@link Promise#renew}. */
  void renew(double nanos, int readers) {
    promise.renew(nanos, readers);
  }

  /** They are of another route now. */
  void forget() {
    promise.forget();
  }
}
