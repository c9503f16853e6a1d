// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.core.testing.Command;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Leaves a file system with free space in small pieces only: fills it with small files and deletes
 * every other one, so that a file written next is of many extents.
 */
final class Fragmentation {
  private final Path folder;

  private Fragmentation(Path folder) {
    this.folder = folder;
  }

  /**
   * Takes until the volume is full.
   *
   * @param pieceBytes size of the files and so of the holes
   */
  static Fragmentation of(Path mountPoint, int pieceBytes) throws IOException {
    Path folder = Files.createDirectories(mountPoint.resolve("fragments"));
    Fragmentation made = new Fragmentation(folder);
    byte[] piece = new byte[pieceBytes];
    // One large file takes most of the space at once, the pieces the rest.
    Path bulk = folder.resolve("bulk");
    long free = Files.getFileStore(mountPoint).getUsableSpace();
    Command.run("fallocate", "-l", Long.toString(free - (96L << 20)), bulk.toString());
    int count = 0;
    try {
      while (true) {
        Files.write(folder.resolve("piece-" + count), piece);
        count++;
      }
    } catch (IOException full) {
      Command.run("sync", "-f", mountPoint.toString());
    }
    for (int i = 0; i < count; i += 2) {
      Files.delete(folder.resolve("piece-" + i));
    }
    Command.run("sync", "-f", mountPoint.toString());
    return made;
  }

  /** Deletes what is left of the small files. */
  void remove() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
