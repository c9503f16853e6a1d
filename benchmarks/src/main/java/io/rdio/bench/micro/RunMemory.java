// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.core.device.DeviceDepth;
import io.rdio.core.device.HugeBuffers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Memory as readers have it; windows of 1 MiB, as many as a long run has under way at first. */
final class RunMemory {
  static final int WINDOW = 1 << 20;

  /** So many. */
  static final int WINDOWS = DeviceDepth.USUAL / WINDOW;

  private static final int PAGE = 4096;

  private RunMemory() {}

  /**
   * New memory, in huge pages where there are any, and at a multiple of 4096 in any case.
   *
   * @param bytes a multiple of 2 MiB
   */
  static ByteBuffer of(int bytes) {
    ByteBuffer huge = HugeBuffers.allocate(bytes);
    return huge != null ? huge : ByteBuffer.allocateDirect(bytes + PAGE).alignedSlice(PAGE);
  }

  /** New ones. */
  static List<ByteBuffer> windows() {
    ByteBuffer all = of(WINDOWS * WINDOW);
    List<ByteBuffer> windows = new ArrayList<>();
    for (int i = 0; i < WINDOWS; i++) {
      windows.add(all.slice(i * WINDOW, WINDOW));
    }
    return windows;
  }
}
