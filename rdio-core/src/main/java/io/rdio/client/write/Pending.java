// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;

/**
 * Which of several targets are not through with something, a bit for each. Who waits for them can
 * take out those that are late; which of both came first, one of them and who waited, both know
 * then. Thread-safe.
 */
final class Pending {
  @GuardedBy("this")
  private long left;

  /**
   * @param targets bits of those that are not through
   */
  Pending(long targets) {
    this.left = targets;
  }

  /** One more is not through. */
  synchronized void add(int target) {
    left |= 1L << target;
  }

  /**
   * Some are through, or are not waited for any more.
   *
   * @return bits of those of them that were not before
   */
  synchronized long remove(long targets) {
    long removed = left & targets;
    left &= ~targets;
    notifyAll();
    return removed;
  }

  synchronized boolean isEmpty() {
    return left == 0;
  }

  /**
   * Waits until targets are through, but not longer than so long; interrupts are kept for later.
   *
   * @return bits of those that are not
   */
  synchronized long await(long targets, long nanos) {
    boolean wasInterrupted = false;
    long begun = System.nanoTime();
    long rest = nanos;
    while ((left & targets) != 0 && rest > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, rest);
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
      rest = nanos - (System.nanoTime() - begun);
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
    return left & targets;
  }
}
