// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import java.nio.ByteBuffer;

/**
 * Reads devices, and in tests regular files, past the page cache. Nothing but the system calls:
 * nothing allocates, nothing throws, an error is the negative errno ({@link Errno} words it). Safe
 * for any number of threads.
 *
 * <p>Call only where {@link NativeLibrary#availability} is available; else every method throws
 * {@link UnsatisfiedLinkError}. The caller answers for addresses and descriptors: a wrong address
 * is written to all the same.
 */
public final class DirectReader {
  /**
   * Must equal RDIO_INTERFACE_VERSION in jni_tables.h; changed with any signature of a class that
   * librdio has natives for, and with what a native answers.
   */
  static final int INTERFACE_VERSION = 10;

  // No static initializer: JNI_OnLoad initializes this class while the library is being loaded.
  private DirectReader() {}

  /** Opens O_RDONLY, O_DIRECT, O_CLOEXEC; a file descriptor or -errno. */
  public static native int open(String path);

  /** Zero or -errno; the descriptor is gone in either case. */
  public static native int close(int fd);

  /**
   * Reads at an offset, going on over short reads and signals.
   *
   * @param address of native memory with room for {@code length} bytes
   * @param length bytes; like address and offset a multiple of the device's alignment
   * @return bytes read, less than {@code length} only where the device ends; or -errno
   */
  public static native int pread(int fd, long address, int length, long offset);

  /** Capacity of a device or length of a regular file, in bytes; or -errno. */
  public static native long deviceSize(int fd);

  /** Bytes, 4096 for a regular file; or -errno. */
  public static native int logicalBlockSize(int fd);

  /**
   * The kernel's number of the medium behind the descriptor: a new number is another medium.
   * -ENOTTY on kernels before 5.15 and for regular files.
   */
  public static native long diskSequence(int fd);

  /** CLOCK_BOOTTIME in nanoseconds. */
  public static native long bootTimeNanos();

  /**
   * Address of a direct buffer's byte 0 (not of its position); 0 for a heap buffer. Valid as long
   * as the buffer is reachable.
   */
  public static native long addressOf(ByteBuffer buffer);

  static native int interfaceVersion();
}
