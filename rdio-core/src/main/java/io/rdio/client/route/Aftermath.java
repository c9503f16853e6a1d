// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads behind a look at another plan, which may still feel it: they count for nothing, and what
 * they lose is paid for as the look was. Thread-safe without a lock.
 */
final class Aftermath {
  /** A read counts as at most so many times the mean: one pause of the JVM is not the look's. */
  private static final int MOST = 8;

  private final AtomicInteger left = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private volatile Allowance payer;

  /**
   * @param payer while no look has been
   */
  Aftermath(Allowance payer) {
    this.payer = payer;
  }

  /** The next so many reads are behind a look that {@code pays}. */
  void begin(int reads, Allowance pays) {
    payer = pays;
    lost.set(0);
    left.set(reads);
  }

  boolean isOver() {
    return left.get() <= 0;
  }

  /** One of them took so long, where {@code usual} ones take less. */
  void took(long nanos, double usual) {
    long more = lost.addAndGet((long) (Math.min((double) nanos, MOST * usual) - usual));
    if (left.decrementAndGet() == 0 && more > 0) {
      payer.lose((double) more);
    }
  }

  void forget() {
    left.set(0);
  }
}
