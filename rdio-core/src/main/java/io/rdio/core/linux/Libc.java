// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.nio.ByteBuffer;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Variadic;
import org.jspecify.annotations.Nullable;

/**
 * The C library's calls that this package needs. Below zero means that {@link #errno} is set.
 * Public only because jnr-ffi implements it from another class loader.
 */
public interface Libc {
  Libc LIBC = LibraryLoader.create(Libc.class).load("c");

  int O_RDONLY = 0;
  int O_RDWR = 2;
  int O_NONBLOCK = 0x800;
  int O_CLOEXEC = 0x80000;

  int F_SETSIG = 10;
  int F_SETLEASE = 1024;
  int F_WRLCK = 1;

  /** Ignored by who has not asked for it. */
  int SIGURG = 23;

  /** The call's number, the same on all of Linux's platforms that this runs on. */
  long CACHESTAT = 451;

  int LOCK_EX = 2;
  int LOCK_NB = 4;

  int EPERM = 1;
  int ENOENT = 2;
  int EWOULDBLOCK = 11;
  int EACCES = 13;
  int EINVAL = 22;
  int ENOSYS = 38;
  int EOPNOTSUPP = 95;
  int ESTALE = 116;

  @Variadic(fixedCount = 2)
  int open(String path, int flags);

  int close(int fd);

  /** The lock is of what {@link #open} made, not of this process: it goes when that is closed. */
  int flock(int fd, int operation);

  /** Needs CAP_DAC_READ_SEARCH. */
  int open_by_handle_at(int mountFd, ByteBuffer handle, int flags);

  @Variadic(fixedCount = 2)
  int ioctl(int fd, long request, ByteBuffer argument);

  /** Of the commands that take a number. */
  @Variadic(fixedCount = 2)
  int fcntl(int fd, int command, long argument);

  int fallocate(int fd, int mode, long offset, long length);

  /** Answers the errno instead of leaving it behind. */
  int posix_fadvise(int fd, long offset, long length, int advice);

  /**
   * An address, or -1. With pointers: jnr-ffi's stub for six plain numbers passes the last ones
   * wrongly (EINVAL on x86-64).
   */
  Pointer mmap(
      @Nullable Pointer address, long length, int protection, int flags, int fd, long offset);

  int munmap(Pointer address, long length);

  /** One byte for each page, whose lowest bit says that it is in memory. */
  int mincore(Pointer address, long length, ByteBuffer vector);

  /** Of {@link #CACHESTAT}, for which C libraries need not have a function. */
  @Variadic(fixedCount = 1)
  long syscall(long number, int fd, ByteBuffer range, ByteBuffer answer, int flags);

  String strerror(int errno);

  /** Of this thread's last call that failed. */
  static int errno() {
    return Runtime.getRuntime(LIBC).getLastError();
  }
}
