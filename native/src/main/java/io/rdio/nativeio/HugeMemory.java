// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers in huge pages, where the kernel has any to give. A device is told of every
 * physically separate piece of a read; memory in small pages that comes from a machine in long use
 * is such a piece each. Safe for any number of threads.
 *
 * <p>Not counted by -XX:MaxDirectMemorySize: whoever asks for it has a bound of its own.
 */
public final class HugeMemory {
  /** Bytes: what lengths must be multiples of. */
  public static final int PAGE = 2 << 20;

  private HugeMemory() {}

  /** A class of its own: JNI_OnLoad initializes the outer one while the library is being loaded. */
  private static final class Unmapper {
    static final Cleaner CLEANER = Cleaner.create();
  }

  /**
   * Zeroed memory that starts at a multiple of {@link #PAGE}, taken from the machine page by page
   * as it is touched. It is freed when neither the buffer nor a slice of it is reachable.
   *
   * <p>Call only where {@link NativeLibrary#availability} is available.
   *
   * @param bytes a positive multiple of {@link #PAGE}
   * @return null where the kernel has none for us
   */
  public static @Nullable ByteBuffer allocate(int bytes) {
    long address = map(bytes);
    if (address < 0) {
      return null;
    }
    ByteBuffer buffer = bufferOf(address, bytes);
    if (buffer == null) {
      unmap(address, bytes);
      return null;
    }
    Unmapper.CLEANER.register(buffer, () -> unmap(address, bytes));
    return buffer;
  }

  /** Its address, or -errno. */
  private static native long map(long bytes);

  /** Zero or -errno. */
  private static native int unmap(long address, long bytes);

  /** A buffer on it; null where the JVM has none on foreign memory. */
  private static native @Nullable ByteBuffer bufferOf(long address, long bytes);
}
