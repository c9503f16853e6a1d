// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.nativeio.HugeMemory;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers in huge pages. Safe for any number of threads.
 *
 * <p>Not counted by -XX:MaxDirectMemorySize: whoever asks for it has a bound of its own.
 */
public final class HugeBuffers {
  private static final Cleaner CLEANER = Cleaner.create();

  private HugeBuffers() {}

  /**
   * Zeroed memory that starts at a multiple of {@link HugeMemory#PAGE}, taken from the machine page
   * by page as it is touched. It is freed when neither the buffer nor a slice of it is reachable.
   * librdio must be available.
   *
   * @param bytes a positive multiple of {@link HugeMemory#PAGE}
   * @return null where the kernel has none for us
   */
  public static @Nullable ByteBuffer allocate(int bytes) {
    long address = HugeMemory.map(bytes);
    if (address < 0) {
      return null;
    }
    ByteBuffer buffer = HugeMemory.bufferOf(address, bytes);
    if (buffer == null) {
      HugeMemory.unmap(address, bytes);
      return null;
    }
    CLEANER.register(buffer, () -> HugeMemory.unmap(address, bytes));
    return buffer;
  }
}
