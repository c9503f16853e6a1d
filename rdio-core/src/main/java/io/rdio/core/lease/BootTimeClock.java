// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.lease;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;

/**
 * CLOCK_BOOTTIME. Where librdio is missing it is {@link System#nanoTime}, which stands still while
 * the machine sleeps: harmless, for such a client reads no device, and such a DataNode only holds
 * its pins longer. Thread-safe; all instances count from the same start.
 */
public final class BootTimeClock implements LeaseClock {
  private final boolean nativeClock = NativeLibrary.availability().isAvailable();

  @Override
  public long nanos() {
    return nativeClock ? DirectReader.bootTimeNanos() : System.nanoTime();
  }
}
