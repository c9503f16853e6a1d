// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder for tests that JUnit does not give one, in memory where the machine has that; with all
 * that is in it, it is gone when it is closed.
 */
public record ScratchFolder(Path path) implements AutoCloseable {
  private static final Path MEMORY = Path.of("/dev/shm");

  /** An empty one. */
  public static ScratchFolder make(String prefix) throws IOException {
    return new ScratchFolder(
        Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, prefix)
            : Files.createTempDirectory(prefix));
  }

  @Override
  public void close() throws IOException {
    List<Path> paths;
    try (Stream<Path> all = Files.walk(path)) {
      paths = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : paths) {
      Files.delete(each);
    }
  }
}
