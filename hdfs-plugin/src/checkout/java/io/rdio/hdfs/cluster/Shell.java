// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;

/** Runs system tools. */
public final class Shell {
  private Shell() {}

  /**
   * Runs a command to its end, for as long as {@link ProcessEnd#of(Process, String)} waits.
   *
   * @return what it wrote to standard output and standard error, without white space at the ends
   * @throws IOException if it cannot be started, does not end in time or does not exit with 0;
   *     tells what it wrote
   */
  public static String run(String... command) throws IOException {
    String name = String.join(" ", command);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      ProcessEnd end = ProcessEnd.of(process, name);
      String output = end.output().strip();
      if (end.status() != 0) {
        throw new IOException(name + " failed with " + end.status() + ": " + output);
      }
      return output;
    } finally {
      process.destroyForcibly();
    }
  }
}
