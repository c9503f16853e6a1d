// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that a client shares with its host's agent: a sealed memfd, mapped by both. Nothing but
 * the calls: nothing throws, an error is the negative errno ({@link Errno} words it). Safe for any
 * number of threads.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available. The caller answers for
 * addresses and descriptors; a descriptor is closed by {@link LocalSocket#close}.
 */
public final class SharedMemory {
  /** Size of a huge page, and what the address of one is a multiple of. */
  public static final int HUGE_PAGE = 2 << 20;

  private SharedMemory() {}

  /**
   * New memory of zeroes that can neither shrink nor grow; none is taken from the machine before it
   * is touched.
   *
   * @return its descriptor
   */
  public static native int create(long length);

  /**
   * The length of somebody else's; -EPERM unless it can neither shrink nor grow and can be written
   * to, so that nobody who maps it can be made to touch what is gone.
   */
  public static native long length(int fd);

  /** Maps it, in huge pages where the kernel has any; its address. */
  public static native long map(int fd, long length);

  /** Nothing may be under way to it. */
  public static native int unmap(long address, long length);

  /**
   * Puts a range of whole huge pages, of which some was touched, into huge pages, whatever the
   * kernel does by itself. Takes some milliseconds for each.
   *
   * @return 0; an error, such as -EINVAL before Linux 6.1, leaves all as it is
   */
  public static native int collapse(long address, long length);

  /** Gives the memory of a range back to the machine; it is zeroes from then on. */
  public static native int release(int fd, long offset, long length);

  /** Bytes that it takes from the machine at present. */
  public static native long footprint(int fd);

  /** A direct buffer on mapped memory; null where the JVM has none on foreign memory. */
  public static native @Nullable ByteBuffer bufferOf(long address, long length);
}
