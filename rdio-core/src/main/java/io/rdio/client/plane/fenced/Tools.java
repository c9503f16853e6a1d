// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs programs of the system, all of them together within a time; their output goes to files. For
 * one thread.
 */
final class Tools {
  private static final long LOOK_MILLIS = 20;
  private static final int SAID_MAX = 2000;

  /** Where the tools of file systems are, which a service's path need not have. */
  private static final String SYSTEM_PATH = ":/usr/sbin:/sbin:/usr/bin:/bin";

  private final Path said;
  private final MonotonicClock clock;
  private final long deadline;

  /**
   * @param folder for what they say
   */
  Tools(Path folder, MonotonicClock clock, long nanos) {
    this.said = folder.resolve("said");
    this.clock = clock;
    this.deadline = clock.nanos() + nanos;
  }

  /** A file that grows while a program runs, and how large it may become. */
  record Growth(Path file, long bytesMax) {}

  /** What a program wrote to its standard output, without the last line's end. */
  String run(String... command) throws IOException {
    Path out = said.resolveSibling("out");
    run(new Growth(out, SAID_MAX), out, command);
    return Files.readString(out, UTF_8).strip();
  }

  /**
   * Runs a program to its end.
   *
   * @param growth that it is ended at
   * @param out for its standard output
   * @throws IOException with what it said where it fails
   */
  void run(Growth growth, Path out, String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.merge("PATH", SYSTEM_PATH, String::concat);
    environment.put("LC_ALL", "C");
    Process process =
        builder
            .redirectOutput(out.toFile())
            .redirectError(said.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    try {
      await(process, growth, command[0]);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly); // some are scripts
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      String text = Files.readString(said, UTF_8).strip();
      throw new IOException(
          List.of(command)
              + " failed: "
              + text.substring(0, Math.min(SAID_MAX, text.length())).replace('\n', ' '));
    }
  }

  private void await(Process process, Growth growth, String name) throws IOException {
    try {
      while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (clock.nanos() - deadline > 0) {
          throw new IOException(name + " took too long");
        }
        if (Files.exists(growth.file()) && Files.size(growth.file()) > growth.bytesMax()) {
          throw new IOException(
              name + " has written more than " + growth.bytesMax() + " bytes, which is too much");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException) new InterruptedIOException("waiting for " + name).initCause(e);
    }
  }
}
