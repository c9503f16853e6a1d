// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import io.rdio.nativeio.KTracer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Tells whether extents of a file were freed or moved, in the manner of a sequence lock: a file's
 * epoch is read, then its extents are asked for, then used, and the epoch read once more. If it is
 * the same, no extent of the file had begun to be freed or moved. The kernel counts it before it
 * frees or moves anything; files share slots, so it may count a change of another file, which costs
 * an eviction but never lets a wrong address pass. Safe for any number of threads.
 */
interface ExtentEpochs {
  /** Slot of what has no extents that could change. */
  int NEVER_CHANGES = -1;

  /**
   * Where a file's epoch is found, at least 0.
   *
   * @param kernelDevice as the kernel numbers it
   */
  int slot(int kernelDevice, long inode);

  /** The epoch in a slot; 0 for {@link #NEVER_CHANGES}. */
  int epoch(int slot);

  /** Those that KTracer's programs count. */
  final class Kernel implements ExtentEpochs {
    private static final VarHandle INTS =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final ByteBuffer counts;

    /**
     * @param counts of {@link KTracer#epochs}; not to be asked any more once the tracer is closed
     */
    Kernel(ByteBuffer counts) {
      this.counts = counts;
    }

    @Override
    public int slot(int kernelDevice, long inode) {
      return KTracer.epochSlot(kernelDevice, inode);
    }

    @Override
    public int epoch(int slot) {
      return slot == NEVER_CHANGES ? 0 : (int) INTS.getVolatile(counts, slot * Integer.BYTES);
    }
  }
}
