// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The real clock of leases in a virtual machine that tests pause. */
public final class PausableClock implements MonotonicClock {
  private final AtomicLong boot = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(100));
  private final AtomicLong wallMillis = new AtomicLong(1_700_000_000_000L);
  private final PauseAwareClock clock = new PauseAwareClock(boot::get, wallMillis::get);

  @Override
  public long nanos() {
    return clock.nanos();
  }

  public void pass(Duration time) {
    boot.addAndGet(time.toNanos());
    pause(time);
  }

  /** The machine is paused, and its wall clock set right before it goes on. */
  public void pause(Duration time) {
    wallMillis.addAndGet(time.toMillis());
  }
}
