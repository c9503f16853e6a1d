// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory in huge pages, where the kernel has any to give. A device is told of every physically
 * separate piece of a read; memory in small pages that comes from a machine in long use is such a
 * piece each. Nothing but the calls, safe for any number of threads.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available.
 */
public final class HugeMemory {
  /** Bytes: what lengths must be multiples of. */
  public static final int PAGE = 2 << 20;

  private HugeMemory() {}

  /**
   * Zeroed memory that starts at a multiple of {@link #PAGE}, taken from the machine page by page
   * as it is touched.
   *
   * @param bytes a positive multiple of {@link #PAGE}
   * @return its address, or -errno
   */
  public static native long map(long bytes);

  /** Zero or -errno. */
  public static native int unmap(long address, long bytes);

  /** A direct buffer on memory of a map; null where the JVM has none on foreign memory. */
  public static native @Nullable ByteBuffer bufferOf(long address, long bytes);
}
