// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.start;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Loads the classes that {@code hdfs dfs -cat} by RDIO loads, and ends: a JVM that was started with
 * {@code -XX:ArchiveClassesAtExit} then has them in its archive. What this Hadoop does not have is
 * left out. Nothing is initialized, so nothing of Hadoop runs.
 */
public final class StartClasses {
  private static final String LIST = "classes.txt";

  private StartClasses() {}

  /** Exits with 0 if most of the classes were found. */
  public static void main(String[] args) throws IOException {
    List<String> names = names();
    int loaded = 0;
    for (String name : names) {
      loaded += load(name) ? 1 : 0;
    }
    System.exit(loaded * 2 > names.size() ? 0 : 1);
  }

  /** The classes' names, a line each. */
  static List<String> names() throws IOException {
    try (InputStream list =
            Objects.requireNonNull(StartClasses.class.getResourceAsStream(LIST), LIST);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(list, StandardCharsets.US_ASCII))) {
      return lines.lines().toList();
    }
  }

  private static boolean load(String name) {
    try {
      Class.forName(name, false, StartClasses.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
