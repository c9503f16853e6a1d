// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What folders have in them; what cannot be read is an {@link IOException}, always. */
final class Folders {
  private Folders() {}

  /**
   * @param glob of the names
   */
  static List<Path> list(Path folder, String glob) throws IOException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, glob)) {
      return all(stream);
    }
  }

  static List<Path> all(DirectoryStream<Path> stream) throws IOException {
    List<Path> paths = new ArrayList<>();
    try {
      stream.forEach(paths::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return paths;
  }
}
