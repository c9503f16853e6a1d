// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import java.nio.ByteBuffer;

/**
 * The calls of write_device.h, write_lease.h and write_slot.h, which say what they do and what
 * their errors are: each answers a value of at least 0, or -errno. Handles are checked there;
 * addresses are not.
 */
final class WriteCalls {
  /** Option of {@link #open}: a regular file will do. */
  static final int IMAGE = 1;

  // No static initializer: JNI_OnLoad initializes this class while the library is being loaded.
  private WriteCalls() {}

  static native long open(String path, int options);

  static native int close(long writer);

  static native long size(long writer);

  static native int blockBytes(long writer);

  static native int read(long writer, long address, int length, long offset);

  static native int flush(long writer);

  static native long lease(
      long writer, long[] places, long[] lengths, int unit, long deadlineNanos);

  static native int renew(long lease, long deadlineNanos);

  static native int end(long lease, long timeoutNanos);

  static native int release(long lease);

  static native int write(long lease, long offset, long address, int length, boolean isLast);

  /** The same from a buffer, which the call keeps; -EINVAL if it is not direct. */
  static native int writeBuffer(
      long lease, long offset, ByteBuffer from, int position, int length, boolean isLast);

  /** -EINVAL if the buffer is not direct. */
  static native int readStamps(long lease, ByteBuffer to, int position, int capacity);
}
