// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What follows from the term of a lease: until when this client believes it, when it is due for
 * renewal, and how often it has to be looked at. Rule C1 of docs/protocol.md: a lease counts from
 * before its request was sent, and ends by a margin before the DataNode lets it end, for the drift
 * of their two clocks. Immutable.
 */
final class LeaseTerms {
  /** Longer terms are cut to this: no sum of times can then overflow. */
  static final long MAX_TERM_NANOS = TimeUnit.DAYS.toNanos(1);

  private static final long MAX_TERM_MILLIS = TimeUnit.NANOSECONDS.toMillis(MAX_TERM_NANOS);

  // So often in each term leases are looked at: from half of it on, three tries are left to renew.
  private static final int LOOKS_PER_TERM = 6;

  private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** So large a part of a pause a look may come too early. */
  private static final int EARLY_PART = 8;

  private final long marginNanos;

  /**
   * @param margin how much earlier than the DataNode this client regards a lease as run out
   */
  LeaseTerms(Duration margin) {
    this.marginNanos = margin.toNanos();
  }

  /** A term as the DataNode said it, in nanoseconds; none for what is no term. */
  static long termNanos(long leaseMillis) {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(0, Math.min(leaseMillis, MAX_TERM_MILLIS)));
  }

  /** Until when a lease is believed that was asked for, or asked to be renewed, at a time. */
  long deadline(long sentNanos, long leaseMillis) {
    return sentNanos + termNanos(leaseMillis) - marginNanos;
  }

  /** In use since it was granted or renewed, and past half of its term, but still valid. */
  boolean wantsRenewal(Lease lease, long nowNanos) {
    long term = lease.spanNanos() + marginNanos;
    return lease.usedAndOlderThan(term / 2, nowNanos);
  }

  /** How long leases of this term need not be looked at. */
  static long pause(long termNanos) {
    return Math.max(termNanos / LOOKS_PER_TERM, MIN_PAUSE_NANOS);
  }

  /**
   * How much too early leases are looked at where the client is awake for those of another DataNode
   * anyway. Each time it wakes it asks every DataNode's session whether that is due. Sessions that
   * it sees first at different moments, because it wakes for returns in between, would each keep a
   * moment of their own: the client would wake as often as there are sessions, and its work would
   * grow with their square.
   *
   * @param pauseNanos that they need not be looked at
   */
  static long early(long pauseNanos) {
    return pauseNanos / EARLY_PART;
  }
}
