// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.lease;

/**
 * A client's right to read the extents of one file map until a deadline. The deadline is counted
 * from before the request was sent and is less by a margin for the drift of the two clocks.
 *
 * <p>Thread-safe: readers call {@link #isValid} before an I/O is sent and again after it completed;
 * one owner renews or ends the lease. Once ended it never becomes valid again, so a reader that
 * finds it valid after its I/O knows that the DataNode held the extents all the while.
 */
public final class Lease {
  private final long id;
  private final long incarnation;
  private volatile long deadlineNanos;
  private volatile boolean recalled;
  private volatile boolean ended;
  private volatile long lastUsedNanos;

  /**
   * @param id as the DataNode gave it
   * @param incarnation of the DataNode plugin that granted it
   * @param deadlineNanos on the client's {@link LeaseClock}
   */
  public Lease(long id, long incarnation, long deadlineNanos, long nowNanos) {
    this.id = id;
    this.incarnation = incarnation;
    this.deadlineNanos = deadlineNanos;
    this.lastUsedNanos = nowNanos;
  }

  public long id() {
    return id;
  }

  public long incarnation() {
    return incarnation;
  }

  /** True while extents under this lease may be read and bytes from them be used. */
  public boolean isValid(long nowNanos) {
    return !ended && deadlineNanos - nowNanos > 0;
  }

  /** True while somebody may begin to read by it: valid, and not recalled. */
  public boolean admits(long nowNanos) {
    return !recalled && isValid(nowNanos);
  }

  /** Nanoseconds until it runs out; negative afterwards. */
  public long remainingNanos(long nowNanos) {
    return ended ? Long.MIN_VALUE : deadlineNanos - nowNanos;
  }

  /** Notes that a reader used it, which is what makes it worth renewing. */
  public void touch(long nowNanos) {
    lastUsedNanos = nowNanos;
  }

  public long lastUsedNanos() {
    return lastUsedNanos;
  }

  /** Moves the deadline, never to an earlier time; no effect once ended or already run out. */
  public synchronized void renew(long newDeadlineNanos, long nowNanos) {
    if (isValid(nowNanos) && newDeadlineNanos - deadlineNanos > 0) {
      deadlineNanos = newDeadlineNanos;
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
