// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static io.rdio.core.linux.Libc.LIBC;

import io.rdio.core.linux.Libc;
import java.io.IOException;
import java.nio.file.Path;

/** posix_fadvise on a whole file. */
final class Advice {
  static final int NORMAL = 0;
  static final int NOREUSE = 5;

  private Advice() {}

  static void give(Path file, int advice) throws IOException {
    int fd = LIBC.open(file.toString(), Libc.O_RDONLY | Libc.O_CLOEXEC);
    try {
      if (fd < 0 || LIBC.posix_fadvise(fd, 0, 0, advice) != 0) {
        throw new IOException("fadvise " + advice + " of " + file + " failed");
      }
    } finally {
      LIBC.close(fd);
    }
  }
}
