// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * Where files are in the file system of a volume, on its host.
 *
 * @param folder for those that are written
 * @param files by their names in HDFS: paths of their block files, in order
 */
public record LocalLayout(String folder, Map<String, List<String>> files) {
  public LocalLayout {
    files = Map.copyOf(files);
  }

  /** Writes it to a file for a client JVM. */
  public void write(Path file) throws IOException {
    Files.writeString(file, new JsonSerialization<>(LocalLayout.class, true, false).toJson(this));
  }

  /** Reads what {@link #write} wrote. */
  static LocalLayout read(Path file) throws IOException {
    return new JsonSerialization<>(LocalLayout.class, true, false).fromJson(Files.readString(file));
  }
}
