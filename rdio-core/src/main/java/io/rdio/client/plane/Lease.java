// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.time.Validity;

/**
 * A client's right to read the extents of one file map until a deadline. The deadline is counted
 * from before the request was sent and is less by a margin for the drift of the two clocks.
 *
 * <p>Thread-safe: readers call {@link #isValid} before an I/O is sent and again after it completed;
 * one owner renews or ends the lease. Once ended it never becomes valid again, so a reader that
 * finds it valid after its I/O knows that the DataNode held the extents all the while.
 */
public final class Lease implements Validity {
  /** A use is noted so often at most: all its readers share the cache line. */
  private static final long NOTED_EVERY_NANOS = 100_000_000;

  private final long id;
  private volatile long countedFromNanos;
  private volatile long deadlineNanos;
  private volatile long lastUsedNanos;
  private volatile boolean recalled;
  private volatile boolean ended;

  /**
   * All times are on the client's {@link io.rdio.core.time.MonotonicClock}.
   *
   * @param id as the DataNode gave it
   * @param countedFromNanos when the request that it was granted for was sent
   * @param deadlineNanos that, plus the term that was granted, less the margin
   */
  public Lease(long id, long countedFromNanos, long deadlineNanos) {
    this.id = id;
    this.countedFromNanos = countedFromNanos;
    this.deadlineNanos = deadlineNanos;
    this.lastUsedNanos = countedFromNanos;
  }

  public long id() {
    return id;
  }

  /** True while extents under this lease may be read and bytes from them be used. */
  public boolean isValid(long nowNanos) {
    return !ended && deadlineNanos - nowNanos > 0;
  }

  /** True while somebody may begin to read by it: valid, and not recalled. */
  @Override
  public boolean admits(long nowNanos) {
    return !recalled && isValid(nowNanos);
  }

  /** Nanoseconds until it runs out; negative afterwards. */
  public long remainingNanos(long nowNanos) {
    return ended ? Long.MIN_VALUE : deadlineNanos - nowNanos;
  }

  /** Notes that a reader used it, which is what makes it worth renewing and its map keeping. */
  public void touch(long nowNanos) {
    if (nowNanos - lastUsedNanos >= NOTED_EVERY_NANOS) {
      lastUsedNanos = nowNanos;
    }
  }

  /** When it was used last, to 0.1 s. */
  public long lastUsedNanos() {
    return lastUsedNanos;
  }

  /** The time between the request that it counts from and its deadline. */
  public long spanNanos() {
    return deadlineNanos - countedFromNanos;
  }

  /** Valid, and used since the request that it counts from, and that is so long ago. */
  public boolean usedAndOlderThan(long ageNanos, long nowNanos) {
    long from = countedFromNanos;
    return isValid(nowNanos) && nowNanos - from >= ageNanos && lastUsedNanos - from > 0;
  }

  /**
   * Moves the deadline, never to an earlier time; no effect once ended or already run out.
   *
   * @param sentNanos when the request for it was sent
   */
  public synchronized void renew(long sentNanos, long newDeadlineNanos, long nowNanos) {
    if (isValid(nowNanos) && newDeadlineNanos - deadlineNanos > 0) {
      deadlineNanos = newDeadlineNanos;
      countedFromNanos = sentNanos;
    }
  }

  /** Admits nobody new from now on; whoever reads by it may finish while it is valid. */
  public void recall() {
    recalled = true;
  }

  /** Ends it for good: recalled, returned, or its map found wrong. */
  public synchronized void end() {
    ended = true;
  }
}
