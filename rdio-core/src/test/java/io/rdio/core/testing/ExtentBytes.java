// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;

/** Reads a whole file from its extents: slow and simple, to compare others with. */
public final class ExtentBytes {
  private ExtentBytes() {}

  /**
   * The first bytes of a file.
   *
   * @param extents that cover at least {@code length} bytes
   */
  public static byte[] read(BlockDevice device, ExtentList extents, int length)
      throws FallbackException {
    byte[] bytes = new byte[length];
    int alignment = device.alignment();
    for (int i = 0; i < extents.count() && extents.start(i) < length; i++) {
      int wanted = (int) (Math.min(extents.end(i), length) - extents.start(i));
      int aligned = (wanted + alignment - 1) / alignment * alignment;
      ByteBuffer buffer =
          ByteBuffer.allocateDirect(aligned + alignment).alignedSlice(alignment).limit(aligned);
      device.read(extents.physical(i), buffer);
      buffer.get(0, bytes, (int) extents.start(i), wanted);
    }
    return bytes;
  }
}
