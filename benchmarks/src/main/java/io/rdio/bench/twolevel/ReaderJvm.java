// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.ProcessLines;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link ReaderMain} in a JVM of its own. For one thread. */
final class ReaderJvm implements AutoCloseable {
  private final Process process;
  private final ProcessLines words;
  private final Writer orders;
  private final Path log;
  private final Duration patience;

  /**
   * What it read after it was warm.
   *
   * @param nanos that it waited for the bytes
   */
  record Done(long bytes, long nanos) {
    private static final double MIB = 1 << 20;
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * Reads what a {@link ReaderMain} says.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static Done of(String said) {
      String[] words = said.split(" ", -1);
      if (words.length != 3 || !words[0].equals("done")) {
        throw new IllegalArgumentException("not what a reader says in the end: " + said);
      }
      return new Done(Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** What it got in a second of waiting; 0 if it read nothing. */
    double mibPerSecond() {
      return nanos == 0 ? 0 : bytes / MIB / (nanos / NANOS_PER_SECOND);
    }
  }

  private ReaderJvm(Process process, Path log, Duration patience) {
    this.process = process;
    this.log = log;
    this.patience = patience;
    this.words = ProcessLines.of(process, "a reader", log);
    this.orders = process.outputWriter(UTF_8);
  }

  /**
   * Starts one that waits for its first order. Its heap is in memory then, and does not count where
   * it is taken in afterwards.
   */
  static ReaderJvm start(TwoLevelStack stack, ReaderTask task) throws IOException {
    Path log = stack.folder().resolve("reader-" + task.node() + ".log");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms64m",
                "-Xmx64m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ReaderMain.class.getName()));
    command.addAll(task.arguments());
    command.add(stack.folder().toString());
    Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
    stack.teardown().killLater(process.pid());
    return new ReaderJvm(process, log, task.patience());
  }

  long pid() {
    return process.pid();
  }

  /**
   * Waits until it says a word.
   *
   * @throws IOException if it says another one, or none within its task's patience
   */
  void await(String word) throws IOException {
    String said = words.next("'" + word + "'", patience);
    if (!word.equals(said)) {
      throw wrong(said, word, null);
    }
  }

  /**
   * Waits until it has read all.
   *
   * @throws IOException if it says something else, or nothing within its task's patience
   */
  Done awaitDone() throws IOException {
    String said = words.next("'done'", patience);
    try {
      return Done.of(said);
    } catch (IllegalArgumentException e) {
      throw wrong(said, "done", e);
    }
  }

  private IOException wrong(String said, String word, @Nullable Throwable cause)
      throws IOException {
    return new IOException(
        "the reader said " + said + " instead of " + word + ":\n" + Files.readString(log), cause);
  }

  /** Has it go on. */
  void goOn() throws IOException {
    orders.write("go\n");
    orders.flush();
  }

  @Override
  public void close() {
    ProcessEnd.kill(process);
  }
}
