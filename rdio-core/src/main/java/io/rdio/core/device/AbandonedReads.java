// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

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

  private final LongSupplier nanos;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private volatile boolean backingOff;
  private long backOffNanos;
  private long lateSince;

  AbandonedReads(LongSupplier nanos) {
    this.nanos = nanos;
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
    long now = nanos.getAsLong();
    if (isBackingOff(now)) {
      return; // one hang, seen by several
    }
    boolean again = backOffNanos > 0 && now - lateSince < FORGOTTEN_AFTER.toNanos();
    backOffNanos =
        again ? Math.min(2 * backOffNanos, LAST_BACK_OFF.toNanos()) : FIRST_BACK_OFF.toNanos();
    lateSince = now;
    backingOff = true;
  }

  private boolean isBackingOff(long now) {
    return backingOff && (late.get() > 0 || now - lateSince < backOffNanos);
  }

  private synchronized boolean endBackOff() {
    backingOff = isBackingOff(nanos.getAsLong());
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
