// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import java.time.Duration;

/**
 * How long a write lease lasts, when it should be renewed, and when it has to be ended because it
 * was not. All times are nanoseconds on the clock of terms. For one thread at a time.
 */
final class LeaseTerm {
  /** Renewed when this part of what is left of the term is over. */
  private static final int RENEWED_BY = 3;

  /** Ended this part of what is left of the term before its deadline. */
  private static final int ENDED_BY = 10;

  private static final long ASK_AGAIN_NANOS = Duration.ofMillis(100).toNanos();

  private long deadline;
  private long renewal;
  private long end;

  /** It lasts until a deadline, which may be over. */
  void lastUntil(long until, long now) {
    long left = Math.max(0, until - now);
    deadline = until;
    renewal = now + left / RENEWED_BY;
    end = until - left / ENDED_BY;
  }

  boolean isOver(long now) {
    return deadline - now <= 0;
  }

  /** 0 or less if that is due. */
  long untilRenewal(long now) {
    return renewal - now;
  }

  /** 0 or less if that is due; before it is over. */
  long untilEnd(long now) {
    return end - now;
  }

  /** There was no answer: it should be renewed in a while, before it has to be ended. */
  void askAgain(long now) {
    renewal = now + Math.max(ASK_AGAIN_NANOS, (deadline - now) / RENEWED_BY);
  }
}
