// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Commands of {@code bench} in JVMs of their own, which can be ended when their time is over: they
 * remove their cluster then, as after Ctrl-C.
 */
final class ChildBench {
  private static final String MAIN = "io.rdio.bench.Bench";

  /** For removing a cluster. */
  private static final Duration GRACE = Duration.ofSeconds(60);

  private static final int LOG_LINES = 12;

  /**
   * What a command left.
   *
   * @param status its exit status
   * @param output what it printed, errors too
   */
  record Ended(int status, List<String> output) {
    Ended {
      output = List.copyOf(output);
    }

    /** The end of its output, for people. */
    String tail() {
      return String.join(
          "\n", output.subList(Math.max(0, output.size() - LOG_LINES), output.size()));
    }
  }

  private ChildBench() {}

  /**
   * Runs a command to its end.
   *
   * @param log for what it prints
   * @throws IOException if it was not done in time; it is ended then
   */
  static Ended run(Path log, Deadline deadline, List<String> arguments) throws IOException {
    Process process =
        new ProcessBuilder(command(arguments))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    Thread hook = new Thread(process::destroy, "end-of-" + log.getFileName());
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      process.getOutputStream().close();
      if (!process.waitFor(deadline.left().toMillis(), TimeUnit.MILLISECONDS)) {
        end(process);
        throw deadline.over();
      }
      return new Ended(process.exitValue(), Files.readAllLines(log));
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + arguments.get(0) + " ran");
    } finally {
      forget(hook);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // This JVM is ending, and the hook at its work.
    }
  }

  private static void end(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
    }
  }

  private static List<String> command(List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // What Hadoop opens, where files go, how Hadoop's JVMs start; others of this JVM are not the
    // child's.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            option ->
                option.startsWith("--add-opens")
                    || option.startsWith("-Djava.io.tmpdir=")
                    || option.startsWith("-Drdio."))
        .forEach(command::add);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(MAIN);
    command.addAll(arguments);
    return command;
  }
}
