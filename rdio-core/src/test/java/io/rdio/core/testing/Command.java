// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs a program and waits for it. */
public final class Command {
  private Command() {}

  /**
   * What it wrote to its standard output and error, without the last line's end.
   *
   * @throws IOException with that text if it fails
   */
  public static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output;
    try (InputStream out = process.getInputStream()) {
      output = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
    int status = waitFor(process);
    if (status != 0) {
      throw new IOException(List.of(command) + " failed with " + status + ": " + output);
    }
    return output;
  }

  private static int waitFor(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("while waiting for " + process).initCause(e);
    }
  }

  static boolean succeeds(String... command) {
    try {
      run(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
