// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The agent of this host for a cluster's clients: a JVM of its own, which goes with the cluster.
 * The configurations of clients that read by RDIO name its socket, so that they ask it from its
 * start on.
 */
public final class AgentDaemon {
  private static final List<String> OPTIONS = List.of("-Xmx512m");
  private static final Duration START_TIME_MAX = Duration.ofMinutes(1);
  private static final long POLL_MILLIS = 50;

  private final Process process;
  private final Path log;

  private AgentDaemon(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts it, and waits until it serves.
   *
   * @throws IOException if it does not serve in time; its log is in the message
   */
  public static AgentDaemon start(Cluster cluster) throws IOException {
    return start(cluster, cluster.confFolder(true));
  }

  /** The same by a folder of its own for HADOOP_CONF_DIR, with the cluster's socket. */
  public static AgentDaemon start(Cluster cluster, Path confFolder) throws IOException {
    String socket = cluster.clientConf(true).get(RdioConfigKeys.CLIENT_AGENT_SOCKET.name());
    Files.createDirectories(Objects.requireNonNull(Path.of(socket).getParent(), socket));
    Path log = cluster.folder().resolve("agent.log");
    Process process =
        cluster
            .jvm(confFolder, OPTIONS, "io.rdio.hdfs.cli.Rdio", "agent")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    cluster.killLater(process);
    long end = System.nanoTime() + START_TIME_MAX.toNanos();
    while (!Files.readString(log).contains("listens at")) {
      if (ended(process) || System.nanoTime() > end) {
        throw new IOException("the agent does not serve; its log:\n" + Files.readString(log));
      }
    }
    return new AgentDaemon(process, log);
  }

  private static boolean ended(Process process) throws IOException {
    try {
      return process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the agent started");
    }
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /**
   * User and system time that it has used so far, in seconds.
   *
   * @throws IOException if it has ended; its log is in the message
   */
  public double cpuSeconds() throws IOException {
    try {
      return Proc.cpuSeconds(process.pid());
    } catch (IOException e) {
      if (process.isAlive()) {
        throw e;
      }
      throw new IOException("the agent ended; its log:\n" + Files.readString(log), e);
    }
  }
}
