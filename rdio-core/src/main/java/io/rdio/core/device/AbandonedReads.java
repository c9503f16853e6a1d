// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.time.BackOff;
import io.rdio.core.time.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The reads of one device that nobody waits for any more and that the kernel has yet to end, and
 * what follows from them: a device is refused, without being tried, while a read is late on it, for
 * a back-off from then on, and while too many were abandoned for other causes.
 *
 * <p>Safe for any number of threads. While all is well, asking costs two volatile reads.
 */
final class AbandonedReads {
  /** Reads under way for nobody, of {@link RingQueue#DEPTH} at most for each that gave up. */
  static final int MAX = 256;

  static final Duration FIRST_BACK_OFF = Duration.ofSeconds(1);
  static final Duration LAST_BACK_OFF = Duration.ofMinutes(1);

  /** A device that answered for as long is no worse than any other. */
  static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);

  private final MonotonicClock clock;
  private final BackOff backOff;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private volatile boolean backingOff;
  private long lateSince;

  AbandonedReads(MonotonicClock clock) {
    this.clock = clock;
    this.backOff = new BackOff(FIRST_BACK_OFF, LAST_BACK_OFF, clock);
  }

  /**
   * Counts a read.
   *
   * @param isLate whether the device had all the time that it is given
   */
  void begin(boolean isLate) {
    underWay.incrementAndGet();
    if (isLate) {
      backOff();
      late.incrementAndGet();
    }
  }

  /** The kernel has ended it. */
  void end(boolean wasLate) {
    if (wasLate) {
      late.decrementAndGet();
    }
    underWay.decrementAndGet();
  }

  private synchronized void backOff() {
    if (isBackingOff()) {
      return; // one hang, seen by several
    }
    long now = clock.nanos();
    if (now - lateSince >= FORGOTTEN_AFTER.toNanos()) {
      backOff.succeeded();
    }
    backOff.failed(0);
    lateSince = now;
    backingOff = true;
  }

  private boolean isBackingOff() {
    return backingOff && (late.get() > 0 || backOff.leftNanos() > 0);
  }

  private synchronized boolean endBackOff() {
    backingOff = isBackingOff();
    return !backingOff;
  }

  /**
   * Refuses a device that does not answer.
   *
   * @throws FallbackException DEVICE_TIMEOUT
   */
  void requireAnswering(String device) throws FallbackException {
    if (backingOff && !endBackOff()) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          device
              + " is not tried: "
              + late
              + " reads of it are late, or were a moment ago, "
              + underWay
              + " are under way for nobody");
    }
    if (underWay.get() >= MAX) {
      throw new FallbackException(
          FallbackReason.DEVICE_TIMEOUT,
          device + " is not tried: " + underWay + " reads of it are under way for nobody");
    }
  }
}
