// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** A folder in memory where the machine has one: for tests that sync real files very often. */
public final class InMemory implements TempDirFactory {
  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    return newFolder("junit-");
  }

  /** The same for tests that make and remove their folders themselves. */
  public static Path newFolder(String prefix) throws IOException {
    Path memory = Path.of("/dev/shm");
    return Files.isWritable(memory)
        ? Files.createTempDirectory(memory, prefix)
        : Files.createTempDirectory(prefix);
  }
}
