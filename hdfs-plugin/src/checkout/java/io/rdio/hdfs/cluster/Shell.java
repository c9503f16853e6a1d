// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;

/** Runs system tools. */
public final class Shell {
  private Shell() {}

  /**
   * Runs a command to its end.
   *
   * @return what it wrote to standard output and standard error, without white space at the ends
   * @throws IOException if it cannot be started or does not exit with 0; tells what it wrote
   */
  public static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      int status = process.waitFor();
      if (status != 0) {
        throw new IOException(
            String.join(" ", List.of(command)) + " failed with " + status + ": " + output);
      }
      return output;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(command[0] + " was interrupted");
    } finally {
      process.destroyForcibly();
    }
  }
}
