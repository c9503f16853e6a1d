// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A route that failed a read, until one has gone well: when it may be asked again. Each failure is
 * followed by a pause, which is longer from one to the next. Thread-safe; what is asked for every
 * read takes no lock.
 */
final class Outage {
  static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private final MonotonicClock clock;
  private final BackOff pauses;
  private volatile boolean works = true;
  private volatile long untilNanos;
  private volatile long lastTookNanos;

  @GuardedBy("this")
  private @Nullable Route failedRoute;

  @GuardedBy("this")
  private long failedNanos;

  Outage(MonotonicClock clock) {
    this.clock = clock;
    this.pauses = new BackOff(FIRST_PAUSE, LONGEST_PAUSE, clock);
  }

  /** Whether there is none. */
  boolean isOver() {
    return works;
  }

  /** Whether a single read may find out whether it is over, or there is none. */
  boolean mayAsk() {
    return works || clock.nanos() - untilNanos >= 0;
  }

  /** What the last read that failed took, all of it; 0 before that. */
  long lastTookNanos() {
    return lastTookNanos;
  }

  /**
   * A read failed.
   *
   * @param route that it took; of two that fail in turn, the later one's outage counts
   * @param nanos that it took
   * @return what of that is lost, in nanoseconds: at most the pause that follows, or one read that
   *     hung for a minute would keep others from asking for an hour; below zero for a read that was
   *     under way when another one failed by the same route, and says the same
   */
  synchronized long failed(Route route, long nanos) {
    long now = clock.nanos();
    if (failedRoute == route && now - nanos - failedNanos < 0) {
      return -1;
    }
    failedRoute = route;
    failedNanos = now;
    lastTookNanos = nanos;
    pauses.failed(0);
    long pause = pauses.leftNanos();
    untilNanos = now + pause;
    works = false;
    return Math.min(nanos, pause);
  }

  /** A read went well: true if that ends one. */
  boolean end() {
    return !works && endNow();
  }

  private synchronized boolean endNow() {
    boolean ends = !works;
    works = true;
    pauses.succeeded();
    return ends;
  }
}
