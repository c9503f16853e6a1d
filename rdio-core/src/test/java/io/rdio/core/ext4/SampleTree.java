// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A folder that has what file systems are made of. */
final class SampleTree {
  static final int NAMES = 1200;

  private SampleTree() {}

  /** Makes it in an empty folder and returns that. */
  static Path make(Path folder) throws IOException {
    Random random = new Random(1);
    Path deep = Files.createDirectories(folder.resolve("a/b/c/d"));
    byte[] bytes = new byte[300_001];
    random.nextBytes(bytes);
    Files.write(deep.resolve("plain"), bytes);
    Files.createFile(folder.resolve("empty"));
    Files.writeString(folder.resolve("grün " + "n".repeat(249)), "a name of 255 bytes");
    Files.createSymbolicLink(folder.resolve("short-link"), Path.of("a/b"));
    Files.createSymbolicLink(folder.resolve("long-link"), Path.of("x".repeat(200)));
    scattered(folder.resolve("scattered"), random, 1500, 8192);
    scattered(folder.resolve("pair"), random, 2, 5 << 20);
    Path many = Files.createDirectory(folder.resolve("many"));
    for (int i = 0; i < NAMES; i++) {
      Files.createFile(many.resolve("blk_" + i + "x".repeat(i % 40)));
    }
    return folder;
  }

  /** A file of short runs with holes between, each of which takes an extent. */
  private static void scattered(Path file, Random random, int runs, int distance)
      throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int i = 0; i < runs; i++) {
        byte[] run = new byte[700];
        random.nextBytes(run);
        channel.position((long) i * distance).write(ByteBuffer.wrap(run));
      }
    }
  }
}
