// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;

/** Another device, of which a test has the reads its own way. */
public abstract class ForwardingDevice implements BlockDevice {
  private final BlockDevice device;

  protected ForwardingDevice(BlockDevice device) {
    this.device = device;
  }

  @Override
  public final String name() {
    return device.name();
  }

  @Override
  public final int alignment() {
    return device.alignment();
  }

  @Override
  public final long sizeBytes() {
    return device.sizeBytes();
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    device.read(offset, target);
  }
}
