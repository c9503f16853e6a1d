// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.file.Path;

/** A file's pages in the kernel's cache, and written extents made without them. Thread-safe. */
public final class FilePages {
  /** Of one file at most, whose pages are counted: 1 TiB. */
  private static final long LENGTH_MAX = 1L << 40;

  private FilePages() {}

  /** Has the kernel let go of the file's clean pages; those that somebody uses just then stay. */
  public static void drop(Path file) throws IOException {
    try (OpenFile opened = OpenFile.forReading(file)) {
      opened.dropPages();
    }
  }

  /**
   * How many pages of the file's first bytes are in the cache.
   *
   * @param length bytes, 0 to 1 TiB
   */
  public static int cached(Path file, long length) throws IOException {
    requireLength(length);
    if (length == 0) {
      return 0;
    }
    try (OpenFile opened = OpenFile.forReading(file)) {
      return opened.cachedPages(length);
    }
  }

  /**
   * {@link #drop} and then {@link #cached}, with one look for the file.
   *
   * @param length bytes, 0 to 1 TiB
   */
  public static int dropAndCount(Path file, long length) throws IOException {
    requireLength(length);
    try (OpenFile opened = OpenFile.forReading(file)) {
      opened.dropPages();
      return length == 0 ? 0 : opened.cachedPages(length);
    }
  }

  private static void requireLength(long length) {
    if (length < 0 || length > LENGTH_MAX) {
      throw new IllegalArgumentException("length of " + length + " is not in 0.." + LENGTH_MAX);
    }
  }

  /**
   * Makes the file's first bytes zeros in written extents, by the device itself
   * (FALLOC_FL_WRITE_ZEROES), and extends the file to them.
   *
   * @return false where kernel, file system or device never can; then other extents may be there
   * @throws IOException also where it failed this time, as for want of space
   */
  public static boolean tryWriteZeroes(Path file, long length) throws IOException {
    try (OpenFile opened = OpenFile.forWriting(file)) {
      return opened.tryWriteZeroes(length);
    }
  }
}
