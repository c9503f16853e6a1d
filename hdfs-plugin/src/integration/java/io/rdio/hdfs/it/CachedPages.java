// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.core.linux.Libc;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * A file's pages as cachestat(2) counts them.
 *
 * @param inMemory bytes in the page cache
 * @param reclaimed bytes that were there, are not any more, and were taken by the kernel's reclaim,
 *     not by anybody's advice: where a proactive reclaimer runs it takes pages at any time
 */
record CachedPages(long inMemory, long reclaimed) {
  private static final int PAGE = 4096;

  static CachedPages of(Path file) throws IOException {
    int fd = Libc.LIBC.open(file.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
    if (fd < 0) {
      throw new IOException("cannot open " + file + ": " + Libc.LIBC.strerror(Libc.errno()));
    }
    try {
      // From 0 on, to the end of the file.
      ByteBuffer range = ByteBuffer.allocateDirect(16);
      ByteBuffer stat = ByteBuffer.allocateDirect(40).order(ByteOrder.nativeOrder());
      if (Libc.LIBC.syscall(Libc.CACHESTAT, fd, range, stat, 0) != 0) {
        throw new IOException("cachestat of " + file + ": " + Libc.LIBC.strerror(Libc.errno()));
      }
      return new CachedPages(stat.getLong(0) * PAGE, stat.getLong(24) * PAGE);
    } finally {
      Libc.LIBC.close(fd);
    }
  }
}
