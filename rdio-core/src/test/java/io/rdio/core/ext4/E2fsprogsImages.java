// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The images that e2fsprogs tests itself with, most of them damaged in one way or another, where
 * {@code bin/lib/ext4-images} has put them.
 */
final class E2fsprogsImages {
  static final Path FOLDER =
      Path.of(System.getenv().getOrDefault("HOME", "/root"), ".cache", "rdio", "ext4-images");

  private E2fsprogsImages() {}

  /** Skips the test, or fails it, where there are none. */
  static void require() {
    Requirements.require(
        Files.isDirectory(FOLDER),
        "there are no images of e2fsprogs: bin/lib/ext4-images " + FOLDER);
  }

  /** All of them, packed, always in the same order; none where they were not fetched. */
  static List<Path> packed() throws IOException {
    if (!Files.isDirectory(FOLDER)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(FOLDER)) {
      return all.filter(path -> path.toString().endsWith(".gz")).sorted().toList();
    }
  }

  static InputStream open(Path packed) throws IOException {
    return new GZIPInputStream(Files.newInputStream(packed), 1 << 16);
  }
}
