// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A program on a host that answers lines of its standard input with lines of its output. For one
 * thread.
 */
final class HostProgram implements AutoCloseable {
  private final Path log;
  private final Process process;
  private final BufferedReader answers;
  private final PrintStream commands;

  /**
   * Starts it.
   *
   * @param log for its standard error
   */
  HostProgram(ProcessBuilder command, Path log) throws IOException {
    this.log = log;
    process = command.redirectError(log.toFile()).start();
    answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    commands = new PrintStream(process.getOutputStream(), true, UTF_8);
  }

  /** Says a line and waits for the next one that it says. */
  String ask(String command) throws IOException {
    commands.println(command);
    return line();
  }

  /** Says a line, and waits for nothing. */
  void tell(String command) {
    commands.println(command);
  }

  /** Has it end; returns what it says at last. */
  String end() throws IOException {
    commands.close();
    return line();
  }

  /** Waits for the next line that it says. */
  String line() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("a program of a host ended; see " + log.getFileName());
    }
    return line;
  }

  /** Whether it says a line, or ends, within a time. */
  boolean hasLine(Duration max) throws IOException {
    return Waits.comes(max, () -> answers.ready() || !process.isAlive());
  }

  /**
   * Waits so long for the next line that it says.
   *
   * @throws IOException if it says none, or has ended
   */
  String line(Duration max) throws IOException {
    if (!hasLine(max)) {
      throw new IOException(
          "a program of a host said nothing in "
              + max.toSeconds()
              + " s; see "
              + log.getFileName());
    }
    return line();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
