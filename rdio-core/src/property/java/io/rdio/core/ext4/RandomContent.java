// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A folder that is filled at random, for mke2fs to make an image of, and what debugfs is to change
 * in that image.
 */
final class RandomContent {
  private final Random random;
  private final List<String> files = new ArrayList<>();

  private RandomContent(Random random) {
    this.random = random;
  }

  /**
   * Fills an empty folder.
   *
   * @param names files and folders together
   */
  static RandomContent fill(Path folder, int names, Random random) throws IOException {
    RandomContent content = new RandomContent(random);
    List<Path> directories = new ArrayList<>(List.of(folder));
    for (int i = 0; i < names; i++) {
      Path in = directories.get(random.nextInt(directories.size()));
      String name = i + "n".repeat(random.nextInt(200));
      if (random.nextInt(12) == 0) {
        directories.add(Files.createDirectory(in.resolve(name)));
      } else {
        content.write(in.resolve(name));
        content.files.add("/" + folder.relativize(in.resolve(name)));
      }
    }
    return content;
  }

  private void write(Path file) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int runs = random.nextInt(30) == 0 ? 400 : random.nextInt(4); runs > 0; runs--) {
        byte[] run = new byte[1 + random.nextInt(3000)];
        random.nextBytes(run);
        channel.position(channel.position() + random.nextInt(6000)).write(ByteBuffer.wrap(run));
      }
    }
  }

  /** Requests of debugfs, some of which fail, as those to files that are gone. */
  String[] changes(int count) {
    List<String> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String file = files.get(random.nextInt(files.size()));
      int block = random.nextInt(300);
      changes.add(
          switch (random.nextInt(5)) {
            case 0 -> "rm " + file;
            case 1 -> "fallocate " + file + " " + block + " " + (block + random.nextInt(40));
            case 2 -> "punch " + file + " " + block + " " + (block + random.nextInt(40));
            case 3 -> "mkdir /made" + i;
            default -> "write /proc/version /written" + i;
          });
    }
    return changes.toArray(String[]::new);
  }
}
