// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.JsonSerialization;

/**
 * {@code rdio ktrace}, {@code rdio prefcache} or {@code rdio agent} in a JVM of its own, which
 * reports once a second. For one thread.
 */
final class Agent implements AutoCloseable {
  /** How often it is told to report. */
  static final List<String> REPORTS = List.of("--json", "--report-every", "1");

  private static final int STOP_SECONDS_MAX = 30;

  private final String name;
  private final Process process;
  private final Path reports;
  private final Path log;

  private Agent(String name, Process process, Path reports, Path log) {
    this.name = name;
    this.process = process;
    this.reports = reports;
    this.log = log;
  }

  /** Starts one; its reports and its log go to files of its name in a folder. */
  static Agent start(String name, ProcessBuilder command, Path folder) throws IOException {
    Path reports = folder.resolve(name + ".json");
    Path log = folder.resolve(name + ".log");
    Process process = command.redirectOutput(reports.toFile()).redirectError(log.toFile()).start();
    return new Agent(name, process, reports, log);
  }

  /** What it reported last; empty as long as it has not. */
  Map<String, Object> report() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(
          name + " ended with status " + process.exitValue() + ":\n" + Files.readString(log));
    }
    // The last line may not be written to its end yet.
    String text = Files.readString(reports);
    String whole = text.substring(0, text.lastIndexOf('\n') + 1).strip();
    if (whole.isEmpty()) {
      return Map.of();
    }
    Map<?, ?> parsed =
        new JsonSerialization<>(Map.class, false, false)
            .fromJson(whole.substring(whole.lastIndexOf('\n') + 1));
    @SuppressWarnings("unchecked") // A JSON object's keys are strings.
    Map<String, Object> report = (Map<String, Object>) parsed;
    return report;
  }

  /** How often it has reported. */
  long reports() throws IOException {
    return Files.readString(reports).chars().filter(character -> character == '\n').count();
  }

  /** One of its counters; 0 as long as it has not reported. */
  long counter(String counter) throws IOException {
    return report().getOrDefault(counter, 0) instanceof Number number ? number.longValue() : 0;
  }

  /** Bytes that it has had block devices read so far, as the kernel counts. */
  long bytesRead() throws IOException {
    String mark = "read_bytes: ";
    for (String line : Files.readAllLines(Path.of("/proc", "" + process.pid(), "io"))) {
      if (line.startsWith(mark)) {
        return Long.parseLong(line.substring(mark.length()));
      }
    }
    throw new IOException("/proc/" + process.pid() + "/io does not tell read_bytes");
  }

  /** Stops it where it stands (SIGSTOP). */
  void pause() throws IOException {
    Shell.run("kill", "-STOP", Long.toString(process.pid()));
  }

  /** Ends it at once, as its own timer does. */
  void kill() {
    process.destroyForcibly();
  }

  /** Ends it as an administrator does. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(name + " did not end " + STOP_SECONDS_MAX + " s after SIGTERM");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while " + name + " ended");
    }
  }
}
