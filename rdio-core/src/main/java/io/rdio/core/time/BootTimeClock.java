// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;

/**
 * CLOCK_BOOTTIME, which ends all leases when the machine turns out to have been paused: {@link
 * PauseAwareClock} says how. Where librdio is missing it is {@link System#nanoTime}, which also
 * stands still while the machine sleeps: harmless, for such a client reads no device, and such a
 * DataNode only holds its pins longer. Thread-safe; all instances are one clock.
 */
public final class BootTimeClock implements MonotonicClock {
  private static final PauseAwareClock CLOCK =
      NativeLibrary.availability().isAvailable()
          ? new PauseAwareClock(DirectReader::bootTimeNanos, System::currentTimeMillis)
          : new PauseAwareClock(System::nanoTime, System::currentTimeMillis);

  @Override
  public long nanos() {
    return CLOCK.nanos();
  }

  /** Times that the machine turned out to have been paused, or its wall clock to have been set. */
  public static long jumps() {
    return CLOCK.jumps();
  }
}
