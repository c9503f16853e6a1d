// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@link ReaderMain} in a JVM of its own. For one thread. */
final class ReaderJvm implements AutoCloseable {
  private final Process process;
  private final BufferedReader words;
  private final Writer orders;
  private final Path log;

  private ReaderJvm(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.words = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    this.orders = process.outputWriter(UTF_8);
  }

  /**
   * Starts one that waits for its first order. Its heap is in memory then, and does not count where
   * it is taken in afterwards.
   */
  static ReaderJvm start(TwoLevelStack stack, Workload workload, int blocks, long bytesPerSecond)
      throws IOException {
    Path log = stack.folder().resolve("reader.log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms64m",
                "-Xmx64m",
                "-XX:+AlwaysPreTouch",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ReaderMain.class.getName(),
                stack.data().toString(),
                Integer.toString(blocks),
                workload.label(),
                Long.toString(bytesPerSecond),
                Long.toString((long) RealWorkloads.WARM_UP * blocks),
                stack.folder().toString())
            .redirectError(log.toFile())
            .start();
    stack.teardown().killLater(process.pid());
    return new ReaderJvm(process, log);
  }

  long pid() {
    return process.pid();
  }

  /** Waits until it says a word. */
  void await(String word) throws IOException {
    String said = words.readLine();
    if (!word.equals(said)) {
      throw new IOException(
          "the reader said " + said + " instead of " + word + ":\n" + Files.readString(log));
    }
  }

  /** Has it go on. */
  void goOn() throws IOException {
    orders.write("go\n");
    orders.flush();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
