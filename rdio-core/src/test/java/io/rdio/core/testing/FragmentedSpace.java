// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.Variadic;

/** Leaves a file system with no two free blocks side by side, so that new files are fragmented. */
public final class FragmentedSpace {
  private static final int BLOCK = 4096;
  private static final int O_RDWR = 2;
  private static final int PUNCH_HOLE_KEEP_SIZE = 0x2 | 0x1;

  private FragmentedSpace() {}

  /** Of the C library. */
  public interface Allocation {
    @Variadic(fixedCount = 2)
    int open(String path, int flags);

    int close(int fd);

    int fallocate(int fd, int mode, long offset, long length);
  }

  /**
   * Fills the file system and frees single blocks.
   *
   * @param freeBlocks how many
   */
  public static void make(Path mountPoint, int freeBlocks) throws IOException {
    if (Files.getFileStore(mountPoint).type().equals("xfs")) {
      // Its reserve is free space too, in one piece.
      Command.run("xfs_io", "-x", "-c", "resblks 0", mountPoint.toString());
    }
    Allocation calls = LibraryLoader.create(Allocation.class).load("c");
    Path filler = Files.createFile(mountPoint.resolve("filler"));
    int fd = calls.open(filler.toString(), O_RDWR);
    if (fd < 0) {
      throw new IOException("cannot open " + filler);
    }
    try {
      long end = 0;
      for (long step = 16 << 20; step >= BLOCK; step /= 4) {
        while (calls.fallocate(fd, 0, end, step) == 0) {
          end += step;
        }
      }
      for (int i = 0; i < freeBlocks; i++) {
        if (calls.fallocate(fd, PUNCH_HOLE_KEEP_SIZE, 2L * i * BLOCK, BLOCK) < 0) {
          throw new IOException("cannot punch " + filler);
        }
      }
    } finally {
      calls.close(fd);
    }
  }
}
