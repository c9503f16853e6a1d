// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** Whether this JVM can make the system calls of this package at all. */
public final class SystemCalls {
  private static final long FS_IOC_GETFLAGS = 0x80086601L;

  private SystemCalls() {}

  /**
   * Loads jnr-ffi's library and makes one harmless call of each kind that grants need.
   *
   * @throws IOException that says what fails and how to mend it
   */
  public static void tryThem() throws IOException {
    try (OpenFile root = OpenFile.forReading(Path.of("/"))) {
      // Whether the file system knows the ioctl does not matter here.
      root.tryIoctl(FS_IOC_GETFLAGS, ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()));
    } catch (LinkageError | RuntimeException e) {
      throw new IOException(
          "jnr-ffi's native library cannot be loaded, without which no system call can be made ("
              + firstCause(e)
              + "); fix: let java.io.tmpdir of the DataNode be writable and not mounted noexec, or"
              + " name a directory that is with -Djffi.extract.dir",
          e);
    }
  }

  private static Throwable firstCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
