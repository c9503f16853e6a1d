// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.time.MonotonicClock;

/**
 * Which incarnation of a DataNode is the present one. Their numbers are random, so the order of two
 * is that of the requests which they answered. Thread-safe.
 */
final class Incarnations {
  private final MonotonicClock clock;
  private final Runnable whenReplaced;

  @GuardedBy("this")
  private boolean known;

  @GuardedBy("this")
  private long current;

  @GuardedBy("this")
  private long seenNanos;

  /**
   * @param whenReplaced run before anybody can see the new one here; does not wait
   */
  Incarnations(MonotonicClock clock, Runnable whenReplaced) {
    this.clock = clock;
    this.whenReplaced = whenReplaced;
  }

  /** What became known of an answer. */
  enum Finding {
    PRESENT,
    /** Present from now on: leases of all others are worth nothing. */
    NEW,
    /** Of one that may have gone before the present one came. */
    LATE
  }

  /**
   * Takes note of who answered.
   *
   * @param askedNanos when he was asked, or earlier: who was asked only after the present one had
   *     been seen is no earlier one
   */
  synchronized Finding answered(long incarnation, long askedNanos) {
    if (known && current == incarnation) {
      return Finding.PRESENT;
    }
    if (known && askedNanos - seenNanos < 0) {
      return Finding.LATE;
    }
    if (known) {
      whenReplaced.run();
    }
    known = true;
    current = incarnation;
    seenNanos = clock.nanos();
    return Finding.NEW;
  }

  synchronized boolean isPresent(long incarnation) {
    return known && current == incarnation;
  }

  /** The present one; 0 while none is known. */
  synchronized long present() {
    return current;
  }
}
