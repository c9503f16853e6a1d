// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A device of which one block may be held: it then goes on showing what it had, as to a reader that
 * leaves the look at this block out, or looks at it too early.
 */
class StaleDevice implements BlockDevice {
  private static final int BLOCK = 1024;

  private final PlaneImage image;
  private long heldAt;
  private byte @Nullable [] held;

  StaleDevice(PlaneImage image) {
    this.image = image;
  }

  void hold(int at) {
    heldAt = at;
    held = Arrays.copyOfRange(image.bytes(), at, at + BLOCK);
  }

  @Override
  public String name() {
    return image.device().name();
  }

  @Override
  public int alignment() {
    return image.device().alignment();
  }

  @Override
  public long sizeBytes() {
    return image.device().sizeBytes();
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    int length = target.remaining();
    ByteBuffer read = target.duplicate();
    image.device().read(offset, target);
    byte[] old = held;
    for (int i = 0; old != null && i < length; i++) {
      long at = offset + i - heldAt;
      if (at >= 0 && at < BLOCK) {
        read.put(read.position() + i, old[(int) at]);
      }
    }
  }
}
