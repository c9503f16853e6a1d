// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;

/**
 * A device whose reads are counted, and may wait as those of a device that is further away do. It
 * wants its reads aligned as O_DIRECT does, whatever is underneath. Thread-safe.
 */
final class CountedDevice implements BlockDevice {
  private static final int ALIGNMENT = 4096;

  private final BlockDevice device;
  private final long latencyNanos;
  private final LongAdder reads = new LongAdder();

  /**
   * @param latencyNanos that each read waits, besides what it takes
   */
  CountedDevice(BlockDevice device, long latencyNanos) {
    this.device = device;
    this.latencyNanos = latencyNanos;
  }

  /** Reads so far. */
  long reads() {
    return reads.sum();
  }

  @Override
  public String name() {
    return device.name();
  }

  @Override
  public int alignment() {
    return ALIGNMENT;
  }

  @Override
  public long sizeBytes() {
    return device.sizeBytes();
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    reads.increment();
    device.read(offset, target);
    if (latencyNanos > 0) {
      // A park of so little is late by half as much again and more.
      long begun = System.nanoTime();
      while (System.nanoTime() - begun < latencyNanos) {
        Thread.onSpinWait();
      }
    }
  }
}
