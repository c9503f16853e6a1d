// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The boot-time clock, which jumps ahead by a day, and so ends every lease, when it finds that it
 * stood still: CLOCK_BOOTTIME goes on while the machine sleeps, but not while a hypervisor has
 * paused it, nor from a snapshot to its restoration. The DataNode's clock went on.
 *
 * <p>It tells by the wall clock. Both clocks are slewed alike, so the difference between them
 * changes by a step of the wall clock only: when time synchronisation, or the hypervisor's guest
 * agent, corrects it after a pause; or when somebody sets the clock, which ends the leases for no
 * reason and does no harm. <b>What it cannot see</b> is a pause whose correction has not come yet,
 * and one of up to {@link #BOUND_MILLIS}: those are what the DataNode's longest time of an I/O is
 * for (docs/protocol.md, C6).
 *
 * <p>Invariant: a reading is never less than an earlier one, and a lease with a term of less than a
 * day that was valid before a step of more than the bound is not valid in any reading after it.
 * Thread-safe; takes no lock and allocates nothing unless there was a step.
 */
final class PauseAwareClock implements MonotonicClock {
  /** Steps of the wall clock up to this do not count. */
  static final long BOUND_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(PauseAwareClock.class);
  private static final long BOUND_NANOS = TimeUnit.MILLISECONDS.toNanos(BOUND_MILLIS);
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  private final LongSupplier bootNanos;
  private final LongSupplier wallMillis;
  private volatile long aheadNanos;
  private volatile long differenceNanos;
  private long jumps;

  /**
   * @param bootNanos CLOCK_BOOTTIME
   * @param wallMillis CLOCK_REALTIME
   */
  PauseAwareClock(LongSupplier bootNanos, LongSupplier wallMillis) {
    this.bootNanos = bootNanos;
    this.wallMillis = wallMillis;
    this.differenceNanos = difference(bootNanos.getAsLong());
  }

  @Override
  public long nanos() {
    // Boot time first: a step that comes in between is seen, at the latest, by the next reading,
    // which is the one after the I/O.
    long boot = bootNanos.getAsLong();
    // Read before aheadNanos, and written after it: whoever sees a new difference is ahead, too.
    long expected = differenceNanos;
    long ahead = aheadNanos;
    return stepped(difference(boot) - expected) ? afterStep() : boot + ahead;
  }

  private long difference(long boot) {
    return TimeUnit.MILLISECONDS.toNanos(wallMillis.getAsLong()) - boot;
  }

  private static boolean stepped(long nanos) {
    return nanos > BOUND_NANOS || nanos < -BOUND_NANOS;
  }

  private synchronized long afterStep() {
    // Again: the thread may have been held up between the two clocks, or another was here first.
    long boot = bootNanos.getAsLong();
    long difference = difference(boot);
    long step = difference - differenceNanos;
    if (stepped(step)) {
      aheadNanos += DAY_NANOS;
      differenceNanos = difference;
      jumps++;
      LOG.warn(
          "RDIO: the wall clock went {} ms against the boot clock: this machine was paused, or its"
              + " clock was set; all leases end and are asked for anew",
          TimeUnit.NANOSECONDS.toMillis(step));
    }
    return boot + aheadNanos;
  }

  /** Steps found since the start. */
  synchronized long jumps() {
    return jumps;
  }
}
