// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.cluster.ProcessLines;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A program on a host that answers lines of its standard input with lines of its output, one with
 * one. No answer is waited for without a bound, {@link Waits#ANSWER} unless told otherwise. For one
 * thread.
 */
final class HostProgram implements AutoCloseable {
  private final Process process;
  private final ProcessLines lines;
  private final PrintStream commands;

  /** What it was told and has not answered. */
  private final Deque<String> told = new ArrayDeque<>();

  /**
   * Starts it.
   *
   * @param log for its standard error; its name is the program's in what is thrown
   */
  HostProgram(ProcessBuilder command, Path log) throws IOException {
    process = command.redirectError(log.toFile()).start();
    lines = ProcessLines.of(process, "the program with " + log.getFileName(), log);
    commands = new PrintStream(process.getOutputStream(), true, UTF_8);
  }

  long pid() {
    return process.pid();
  }

  /** Says a line and waits for the next one that it says. */
  String ask(String command) throws IOException {
    return ask(command, Waits.ANSWER);
  }

  /**
   * Says a line and waits so long for the next one that it says.
   *
   * @throws IOException if it says none, or has ended
   */
  String ask(String command, Duration max) throws IOException {
    tell(command);
    return line(max);
  }

  /** Says a line, and waits for nothing. */
  void tell(String command) {
    told.add(command);
    commands.println(command);
  }

  /** Has it end; returns what it says at last. */
  String end() throws IOException {
    commands.close();
    return lines.next("what came of it", Waits.ANSWER);
  }

  /** Waits for the next line that it says. */
  String line() throws IOException {
    return line(Waits.ANSWER);
  }

  /** Whether it says a line, or ends, within a time. */
  boolean hasLine(Duration max) throws IOException {
    return lines.hasLine(max);
  }

  /**
   * Waits so long for the next line that it says.
   *
   * @throws IOException if it says none, or has ended
   */
  String line(Duration max) throws IOException {
    String command = told.peek();
    String line = lines.next(command == null ? "a line" : "its answer to: " + command, max);
    told.poll();
    return line;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
