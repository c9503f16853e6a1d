// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What calls for a trial of the other route, whatever reads by the present one take: {@link Signs}
 * that it is better, or that none was tried for long; and what trials lost, which is paid for
 * first. Thread-safe without a lock.
 */
final class TrialCalls {
  /** Of all time, what trials that nothing calls for may lose. */
  private static final int SHARE = 133;

  /** Losses of so many trials may be left to pay for where one single read calls for another. */
  private static final int CREDIT = 3;

  /** Between trials that nothing calls for, for each reader. */
  private static final int READS_BETWEEN = 256;

  private final Signs signs;
  private final Allowance pays = new Allowance(SHARE);
  private final AtomicInteger reads = new AtomicInteger();

  /** Trials in vain, one after the other. */
  private final AtomicInteger inVain = new AtomicInteger();

  TrialCalls(Signs signs) {
    this.signs = signs;
  }

  /** What trials may lose. */
  Allowance pays() {
    return pays;
  }

  /**
   * Whether there is one.
   *
   * @param price what the trial may lose, in nanoseconds
   * @param readers that would be under way with one more
   */
  boolean isAny(double price, int readers) {
    if (signs.isAny()) {
      return areSignsEnough(price);
    }
    return pays.isWithin(0) && reads.get() >= READS_BETWEEN * readers;
  }

  /** Whether single reads call for one that may lose so much, where one of them does at all. */
  boolean areSignsEnough(double price) {
    return signs.areMany(inVain.get()) || pays.isWithin(CREDIT * price);
  }

  /** A read was done. */
  void read() {
    reads.incrementAndGet();
  }

  /** A trial has begun, which answers them. */
  void answered() {
    signs.answered();
    reads.set(0);
  }

  /** A trial was in vain. */
  void inVain() {
    inVain.incrementAndGet();
  }

  /** They are of another route now. */
  void forget() {
    signs.forget();
    inVain.set(0);
  }
}
