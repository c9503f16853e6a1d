// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.core.device.HugeBuffers;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where {@linkplain WindowGroup groups} of windows have their memory from. It is cut from slabs of
 * huge pages: a disk was seen to read less than half as fast to memory in scattered small pages,
 * each of which it is told of by itself (benchmarks/README.md). A slab goes when all that was cut
 * from it is unreachable.
 *
 * <p>Safe for any number of threads.
 */
final class WindowMemory {
  /** Nine groups of two windows of 1 MiB, and next to nothing over: pages come whole, or not. */
  private static final int SLAB_BYTES = 10 * HugeMemory.PAGE;

  private @Nullable ByteBuffer slab;
  private int taken;

  /**
   * Zeroed direct memory whose address is a multiple of {@link ReadGeometry#ALIGNMENT}.
   *
   * @param bytes a multiple of {@link ReadGeometry#ALIGNMENT}
   * @throws OutOfMemoryError if there is none
   */
  ByteBuffer take(int bytes) {
    ByteBuffer cut = bytes < ReadGeometry.WINDOW || bytes > SLAB_BYTES ? null : cut(bytes);
    return cut != null ? cut : alone(bytes);
  }

  private static ByteBuffer alone(int bytes) {
    return ByteBuffer.allocateDirect(bytes + ReadGeometry.ALIGNMENT)
        .alignedSlice(ReadGeometry.ALIGNMENT)
        .slice(0, bytes);
  }

  private synchronized @Nullable ByteBuffer cut(int bytes) {
    if (slab == null || bytes > SLAB_BYTES - taken) {
      boolean possible = NativeLibrary.availability().isAvailable();
      slab = possible ? HugeBuffers.allocate(SLAB_BYTES) : null;
      taken = 0;
    }
    if (slab == null) {
      return null;
    }
    ByteBuffer cut = slab.slice(taken, bytes);
    taken += bytes;
    return cut;
  }
}
