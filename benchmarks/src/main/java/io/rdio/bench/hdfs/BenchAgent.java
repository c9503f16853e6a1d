// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The agent of the host, in a process of its own, which goes with the cluster. */
final class BenchAgent {
  private static final List<String> OPTIONS = List.of("-Xmx512m");
  private static final long START_SECONDS = 60;
  private static final long POLL_MILLIS = 50;

  private final Process process;

  private BenchAgent(Process process) {
    this.process = process;
  }

  /** Starts it, and waits until it serves. */
  static BenchAgent start(Cluster cluster) throws IOException {
    Path conf = cluster.addConfFolder("conf-agent", true, keys(cluster, "off"));
    Path log = cluster.folder().resolve("agent.log");
    Process process =
        cluster
            .jvm(conf, OPTIONS, "io.rdio.hdfs.cli.Rdio", "agent")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    cluster.killLater(process);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!Files.readString(log).contains("listens at")) {
      if (ended(process) || System.nanoTime() > end) {
        throw new IOException("the agent does not serve: " + Files.readString(log));
      }
    }
    return new BenchAgent(process);
  }

  private static boolean ended(Process process) throws IOException {
    try {
      return process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the agent started");
    }
  }

  /**
   * What a client's configuration has of the agent.
   *
   * @param mode {@code required} or {@code off}
   */
  static Map<String, String> keys(Cluster cluster, String mode) {
    return Map.of(
        RdioConfigKeys.CLIENT_AGENT.name(),
        mode,
        RdioConfigKeys.CLIENT_AGENT_SOCKET.name(),
        cluster.folder().resolve("agent.sock").toString());
  }

  /** User and system time that it has used so far, in seconds. */
  double cpuSeconds() throws IOException {
    return Proc.cpuSeconds(process.pid());
  }

  /** Most memory of it that was resident so far, in bytes. */
  long peakBytes() throws IOException {
    return PeakMemory.of(process.pid());
  }
}
