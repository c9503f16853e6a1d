// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import io.rdio.core.device.DeviceDepth;
import io.rdio.core.device.HugeBuffers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Memory such as a long run reads to: windows of 1 MiB, as many as it has under way at first. */
final class RunMemory {
  static final int WINDOW = 1 << 20;

  /** So many. */
  static final int WINDOWS = DeviceDepth.USUAL / WINDOW;

  private static final int PAGE = 4096;

  private RunMemory() {}

  /** New ones, in huge pages where there are any. */
  static List<ByteBuffer> windows() {
    ByteBuffer huge = HugeBuffers.allocate(WINDOWS * WINDOW);
    ByteBuffer all =
        huge != null ? huge : ByteBuffer.allocateDirect(WINDOWS * WINDOW + PAGE).alignedSlice(PAGE);
    List<ByteBuffer> windows = new ArrayList<>();
    for (int i = 0; i < WINDOWS; i++) {
      windows.add(all.slice(i * WINDOW, WINDOW));
    }
    return windows;
  }
}
