// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.JsonSerialization;

/** A NameNode or DataNode: a JVM of its own with Hadoop's own main class. Not thread-safe. */
public final class HadoopDaemon {
  private static final Duration STOP_TIME_MAX = Duration.ofSeconds(20);

  /** Behind SIGKILL: as long as a device keeps a thread of it. */
  private static final Duration KILL_TIME_MAX = Duration.ofMinutes(5);

  /** For the next bytes of a page, on an emulated processor; a stopped daemon sends none. */
  private static final Duration PAGE_TIME_MAX = Duration.ofMinutes(3);

  private static final int POLL_MILLIS = 100;

  /** Tells from its /jmx page whether a daemon does its work. */
  public interface Readiness {
    /** Whether it does; an IOException as long as the page, or the bean asked for, is not there. */
    boolean test(HadoopDaemon daemon) throws IOException;
  }

  private final String name;
  private final Path log;
  private final String httpAddress;
  private final Readiness readiness;
  private final ProcessBuilder command;
  private final Duration startTimeMax;
  private final Teardown teardown;
  private Process process;

  private HadoopDaemon(
      String name,
      Path log,
      String httpAddress,
      Readiness readiness,
      ProcessBuilder command,
      Duration startTimeMax,
      Teardown teardown)
      throws IOException {
    this.name = name;
    this.log = log;
    this.httpAddress = httpAddress;
    this.readiness = readiness;
    this.command = command;
    this.startTimeMax = startTimeMax;
    this.teardown = teardown;
    this.process = launch();
  }

  /**
   * Launches a daemon; {@link #awaitReady} waits for it.
   *
   * @param httpAddress host:port of its web server
   * @param log takes its standard output and error, where log4j.properties sends the log
   * @param startTimeMax how long {@link #awaitReady} waits
   */
  public static HadoopDaemon start(
      String name,
      ProcessBuilder command,
      Path log,
      String httpAddress,
      Readiness readiness,
      Duration startTimeMax,
      Teardown teardown)
      throws IOException {
    command
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    return new HadoopDaemon(name, log, httpAddress, readiness, command, startTimeMax, teardown);
  }

  private Process launch() throws IOException {
    Process started = command.start();
    started.getOutputStream().close();
    teardown.killLater(started.pid());
    return started;
  }

  /** Process id of the present JVM. */
  public long pid() {
    return process.pid();
  }

  /** The log file; it goes on over restarts. */
  public Path log() {
    return log;
  }

  /** host:port of the web server. */
  public String httpAddress() {
    return httpAddress;
  }

  /** User and system time of the present JVM, in seconds. */
  public double cpuSeconds() throws IOException {
    return Proc.cpuSeconds(process.pid());
  }

  /**
   * One bean of the daemon's /jmx page.
   *
   * @param query such as {@code Hadoop:service=DataNode,name=DataNodeInfo}
   * @throws IOException if the page or the bean is not there, or does not come in time
   */
  public Map<String, Object> jmx(String query) throws IOException {
    URI page = URI.create("http://" + httpAddress + "/jmx?qry=" + query);
    URLConnection connection = page.toURL().openConnection();
    connection.setConnectTimeout((int) PAGE_TIME_MAX.toMillis());
    connection.setReadTimeout((int) PAGE_TIME_MAX.toMillis());
    Map<?, ?> answer;
    try (InputStream in = connection.getInputStream()) {
      answer =
          new JsonSerialization<>(Map.class, false, false)
              .fromJson(new String(in.readAllBytes(), UTF_8));
    }
    if (!(answer.get("beans") instanceof List<?> beans && !beans.isEmpty())) {
      throw new IOException(name + " has no bean " + query);
    }
    @SuppressWarnings("unchecked") // A JSON object's keys are strings.
    Map<String, Object> bean = (Map<String, Object>) beans.get(0);
    return bean;
  }

  /**
   * Returns when the daemon does its work.
   *
   * @throws IOException if it ends or is not ready in time; the end of its log is in the message
   */
  public void awaitReady() throws IOException {
    long deadline = System.nanoTime() + startTimeMax.toNanos();
    IOException last = null;
    while (System.nanoTime() < deadline && process.isAlive()) {
      try {
        if (readiness.test(this)) {
          return;
        }
      } catch (IOException notYet) {
        last = notYet;
      }
      pause();
    }
    String what =
        process.isAlive()
            ? "is not ready after " + startTimeMax.toSeconds() + " s"
            : "ended with status " + process.exitValue();
    throw new IOException(name + " " + what + "; the end of " + log + ":\n" + endOfLog(), last);
  }

  /** Ends the JVM at once, as a crash would (SIGKILL). */
  public void kill() throws IOException {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Ends the JVM as {@code hdfs --daemon stop} does (SIGTERM), at last with SIGKILL. */
  public void stop() throws IOException {
    process.destroy();
    awaitEnd();
  }

  /** Launches it again, same ports and folders, after {@link #kill} or {@link #stop}. */
  public void start() throws IOException {
    if (process.isAlive()) {
      throw new IllegalStateException(name + " still runs");
    }
    process = launch();
    awaitReady();
  }

  private void awaitEnd() throws IOException {
    try {
      if (process.waitFor(STOP_TIME_MAX.toSeconds(), TimeUnit.SECONDS)) {
        return;
      }
      if (!process.destroyForcibly().waitFor(KILL_TIME_MAX.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException(
            name
                + ", process "
                + process.pid()
                + ", has not ended "
                + KILL_TIME_MAX.toSeconds()
                + " s after SIGKILL; the end of "
                + log
                + ":\n"
                + endOfLog());
      }
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private void pause() throws IOException {
    try {
      process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private IOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for " + name);
  }

  private String endOfLog() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 25), lines.size()));
  }
}
