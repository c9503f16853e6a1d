// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.ForwardingDevice;
import java.nio.ByteBuffer;
import java.util.Set;

/** A device that does something in front of some of its reads, which it counts. */
final class StoppingDevice extends ForwardingDevice {
  private final Runnable stop;
  private Set<Integer> stops = Set.of();
  private int reads;

  StoppingDevice(BlockDevice device, Runnable stop) {
    super(device);
    this.stop = stop;
  }

  /** Counts from 0 again, and stops in front of these reads. */
  synchronized void stopBefore(Set<Integer> numbers) {
    stops = numbers;
    reads = 0;
  }

  private synchronized int next() {
    return reads++;
  }

  private synchronized boolean stopsBefore(int number) {
    return stops.contains(number);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    int number = next();
    if (stopsBefore(number)) {
      stop.run();
    }
    super.read(offset, target);
  }
}
