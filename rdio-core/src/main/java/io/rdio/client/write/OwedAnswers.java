// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Answers that a device owes, however often it was opened and closed since it was asked.
 * Thread-safe.
 */
final class OwedAnswers {
  private final MonotonicClock clock;
  private final Duration timeout;

  /** The oldest first. */
  @GuardedBy("this")
  private final Set<Owed> owed = new LinkedHashSet<>();

  /** One of them; compared by identity. */
  static final class Owed {
    private final long sinceNanos;

    private Owed(long sinceNanos) {
      this.sinceNanos = sinceNanos;
    }
  }

  /**
   * @param timeout how long the device may owe an answer
   */
  OwedAnswers(MonotonicClock clock, Duration timeout) {
    this.clock = clock;
    this.timeout = timeout;
  }

  /** The device is asked something. */
  synchronized Owed begin() {
    Owed answer = new Owed(clock.nanos());
    owed.add(answer);
    return answer;
  }

  /** It has answered. */
  synchronized void end(Owed answer) {
    owed.remove(answer);
  }

  /**
   * Refuses a device that owes an answer for too long.
   *
   * @param device for the message
   * @throws FallbackException DEVICE_TIMEOUT
   */
  synchronized void requireNoneLate(Object device) throws FallbackException {
    if (owed.isEmpty()) {
      return;
    }
    long nanos = clock.nanos() - owed.iterator().next().sinceNanos;
    if (nanos > timeout.toNanos()) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          device
              + " is not written to: it owes "
              + owed.size()
              + " answers, one for "
              + TimeUnit.NANOSECONDS.toSeconds(nanos)
              + " s");
    }
  }
}
