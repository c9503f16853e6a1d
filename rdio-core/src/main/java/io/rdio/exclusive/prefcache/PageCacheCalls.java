// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.nio.ByteBuffer;
import jnr.ffi.LibraryLoader;

/**
 * The C library's calls that {@link PageCacheStore} needs. Public only because jnr-ffi implements
 * it from another class loader.
 */
public interface PageCacheCalls {
  PageCacheCalls LIBC = LibraryLoader.create(PageCacheCalls.class).load("c");

  int FADV_WILLNEED = 3;
  int FADV_DONTNEED = 4;

  /** Answers the errno instead of leaving it behind. */
  int posix_fadvise(int fd, long offset, long length, int advice);

  /** Leaves the errno behind. */
  long pread(int fd, ByteBuffer to, long count, long offset);
}
