// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A file that takes all the free space of a volume until it is closed. */
final class Filler implements AutoCloseable {
  private static final int SMALLEST = 512;
  private final Path file;

  private Filler(Path file) {
    this.file = file;
  }

  /** To the last free byte. */
  static Filler of(Path mountPoint) throws IOException {
    Path file = mountPoint.resolve("filler");
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) 0xF1);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int length = bytes.length; length >= SMALLEST; length /= 2) {
        writeUntilFull(out, bytes, length);
      }
    }
    return new Filler(file);
  }

  Path file() {
    return file;
  }

  private static void writeUntilFull(OutputStream out, byte[] bytes, int length) {
    try {
      while (true) {
        out.write(bytes, 0, length);
      }
    } catch (IOException full) {
      // That is what is wanted.
    }
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
