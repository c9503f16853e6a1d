// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a program and waits for it. */
public final class Command {
  /** For whatever is run, on a busy machine. */
  private static final Duration TIME_MAX = Duration.ofMinutes(10);

  private Command() {}

  /**
   * What it wrote to its standard output and error, without the last line's end. It is waited for
   * also by a thread that is interrupted: so a test removes what it has made.
   *
   * @throws IOException with that text if it fails, or has not ended in ten minutes: then it is
   *     killed
   */
  public static String run(String... command) throws IOException {
    return run(TIME_MAX, command);
  }

  /** The same of a program that may take so long. */
  static String run(Duration max, String... command) throws IOException {
    // By a file: what a program has left running keeps nobody waiting for a pipe's end.
    Path said = Files.createTempFile("rdio-command-", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      process.getOutputStream().close();
      String end = end(process, max);
      String output = new String(Files.readAllBytes(said), StandardCharsets.UTF_8).strip();
      if (!end.isEmpty()) {
        throw new IOException(List.of(command) + end + ": " + output);
      }
      return output;
    } finally {
      Files.delete(said);
    }
  }

  /** How it failed; "" if it did not. */
  private static String end(Process process, Duration max) {
    if (!hasEnded(process, max)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      return " has not ended in " + max.toSeconds() + " s, and was killed";
    }
    return process.exitValue() == 0 ? "" : " failed with " + process.exitValue();
  }

  private static boolean hasEnded(Process process, Duration max) {
    long begun = System.nanoTime();
    boolean interrupted = false;
    boolean ended = false;
    long left = max.toNanos();
    while (!ended && left > 0) {
      try {
        ended = process.waitFor(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = max.toNanos() - (System.nanoTime() - begun);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return ended;
  }

  /** Whether it succeeds; what it writes is nobody's. */
  public static boolean succeeds(String... command) {
    try {
      run(command);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
