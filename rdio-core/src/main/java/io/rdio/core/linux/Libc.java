// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Variadic;

/** The C library's calls that this package needs. Returns below zero leave an errno behind. */
interface Libc {
  Libc LIBC = LibraryLoader.create(Libc.class).load("c");

  int O_RDONLY = 0;
  int O_RDWR = 2;
  int O_CLOEXEC = 0x80000;

  int ENOENT = 2;
  int EACCES = 13;
  int ENOTTY = 25;
  int EOPNOTSUPP = 95;

  @Variadic(fixedCount = 2)
  int open(String path, int flags);

  int close(int fd);

  @Variadic(fixedCount = 2)
  int ioctl(int fd, long request, ByteBuffer argument);

  int fallocate(int fd, int mode, long offset, long length);

  // Answers the errno instead of leaving it behind.
  int posix_fadvise(int fd, long offset, long length, int advice);

  String strerror(int errno);

  /** Of this thread's last call that failed. */
  static int errno() {
    return Runtime.getRuntime(LIBC).getLastError();
  }

  /** A descriptor to use in try-with-resources. */
  static Descriptor open(Path path, int flags) throws IOException {
    int fd = LIBC.open(path.toString(), flags | O_CLOEXEC);
    if (fd < 0) {
      throw failure("open", path, errno());
    }
    return new Descriptor(fd);
  }

  /** The exception that java.nio.file has for an errno. */
  static FileSystemException failure(String call, Path path, int errno) {
    String text = call + ": " + LIBC.strerror(errno);
    return switch (errno) {
      case ENOENT -> new NoSuchFileException(path.toString(), null, text);
      case EACCES -> new AccessDeniedException(path.toString(), null, text);
      default -> new FileSystemException(path.toString(), null, text);
    };
  }

  /** An open file descriptor. */
  record Descriptor(int fd) implements AutoCloseable {
    @Override
    public void close() {
      // Nothing was written through it, so there is no error that could matter.
      LIBC.close(fd);
    }
  }
}
