// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Making files and names durable, and reserving space. Thread-safe. */
public final class DurableFiles {
  private DurableFiles() {}

  /** Writes a file's dirty pages and its inode to the device (fsync). */
  public static void syncFile(Path file) throws IOException {
    sync(file);
  }

  /** Makes names made, linked or removed in a directory durable (fsync of the directory). */
  public static void syncDirectory(Path directory) throws IOException {
    sync(directory);
  }

  // On Linux fsync asks for no write permission, and a directory opens for reading only.
  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /**
   * Cuts a file, durably: its length, and the zeros that the kernel puts behind its last byte. A
   * file that is not longer is only synced.
   *
   * @param length bytes, at least 0
   */
  public static void cut(Path file, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
      channel.force(true);
    }
  }

  /**
   * Reserves space in a file and extends it to {@code offset + length}; the reserved range reads as
   * zeros and its extents are unwritten.
   *
   * @throws IOException if the device is full or the file system cannot do it
   */
  public static void allocate(Path file, long offset, long length) throws IOException {
    try (OpenFile opened = OpenFile.forWriting(file)) {
      opened.allocate(offset, length);
    }
  }
}
