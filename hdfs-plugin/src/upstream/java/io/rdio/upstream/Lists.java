// SPDX-License-Identifier: Apache-2.0
package io.rdio.upstream;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The files under {@code lists/}: a name, and what is said of it in the rest of its line. */
final class Lists {
  private final Path folder;

  Lists(Path folder) {
    this.folder = folder;
  }

  /** Names with what is said of them; empty lines and those that begin with # are left out. */
  Map<String, String> read(String list) throws IOException {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String line : Files.readAllLines(folder.resolve(list))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] words = line.strip().split("\\s+", 2);
        entries.put(words[0], words.length > 1 ? words[1] : "");
      }
    }
    return entries;
  }
}
