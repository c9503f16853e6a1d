// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A small share of all time, which may be lost by finding out how fast a route is. What was lost is
 * paid for afterwards, and nothing is saved up. Thread-safe without a lock.
 */
final class Allowance {
  private final int share;
  private final AtomicLong debt = new AtomicLong();

  /**
   * @param share a so-manieth of all time
   */
  Allowance(int share) {
    this.share = share;
  }

  /** A read took so long: of that, a share may be lost. */
  void earn(long nanos) {
    long owed = debt.get();
    if (owed > 0) {
      debt.addAndGet(-Math.min(owed, nanos / share + 1));
    }
  }

  /** Whether no more than so much is still to be paid for. */
  boolean isWithin(double credit) {
    return debt.get() <= credit;
  }

  /** Takes what something may cost, if all before is paid for. */
  boolean take(double cost) {
    long owed = debt.get();
    return owed <= 0 && debt.compareAndSet(owed, owed + (long) cost);
  }

  /** So much was lost. */
  void lose(double nanos) {
    debt.addAndGet((long) nanos);
  }

  /** What was lost is forgiven. */
  void forgive() {
    debt.set(0);
  }
}
