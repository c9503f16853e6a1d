// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;

/** Reads the start of small files from a device. */
final class DeviceBytes {
  private static final int SECTOR = 512;

  private DeviceBytes() {}

  /** The bytes from an offset, a multiple of 512, to the end of its sector. */
  static ByteBuffer sector(BlockDevice device, long offset) throws FallbackException {
    int alignment = Math.max(SECTOR, device.alignment());
    long start = offset & -alignment;
    ByteBuffer window =
        ByteBuffer.allocateDirect(2 * alignment).alignedSlice(alignment).limit(alignment);
    device.read(start, window);
    int at = (int) (offset - start);
    return window.clear().slice(at, SECTOR);
  }
}
