// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Reads any range of a device by way of the aligned one around it. Safe for any number of threads:
 * one takes the buffer that is kept, the others allocate theirs.
 */
final class AlignedReader {
  private final BlockDevice device;
  private final AtomicReference<@Nullable ByteBuffer> kept = new AtomicReference<>();

  AlignedReader(BlockDevice device) {
    this.device = device;
  }

  long sizeBytes() {
    return device.sizeBytes();
  }

  /** Fills the buffer, a small one, with what is on the device from an offset on. */
  void read(long offset, ByteBuffer target) throws Ext4Exception {
    int alignment = device.alignment();
    long start = offset & -alignment;
    int skipped = (int) (offset - start);
    int length = (skipped + target.remaining() + alignment - 1) & -alignment;
    ByteBuffer window = take(length);
    try {
      device.read(start, window.limit(length));
    } catch (FallbackException e) {
      throw Ext4Exception.io(e);
    }
    target.put(window.position(skipped).limit(skipped + target.remaining()));
    kept.set(window.clear());
  }

  private ByteBuffer take(int length) {
    ByteBuffer buffer = kept.getAndSet(null);
    if (buffer != null && buffer.capacity() >= length) {
      return buffer;
    }
    int alignment = device.alignment();
    return ByteBuffer.allocateDirect(length + alignment).alignedSlice(alignment);
  }
}
