// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A cluster whose DataNodes are to die while jobs read its files by an agent, and two files. Not
 * thread-safe.
 */
final class Outage implements AutoCloseable {
  private static final int DATA_NODES = 2;
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 5 * BLOCK + 77;
  private static final int SMALL = 5000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String PLANE = RdioConfigKeys.CLIENT_METADATA_PLANE.name();

  private final Cluster cluster;
  private final FileSystem stock;
  private final AgentProcess agent;
  private final SeededFile large;
  private final SeededFile small;

  /** Leases are short; all else that clients and the agent go by is as by default. */
  Outage() throws Exception {
    Requirements.requireLoop("ext4");
    for (String tool : List.of("setpriv", "unshare", "python3")) {
      Requirements.requireTool(tool);
    }
    cluster =
        TestClusters.builder()
            .dataNodes(DATA_NODES)
            .volumeBytes(512L << 20)
            .set("dfs.replication", "1")
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.datanode.rdio.lease.duration", "3s")
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.client.rdio.lease.margin", "500ms")
            .set(
                RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
                RdioConfigKeys.CLIENT_FIRST_BYTES.byDefault())
            // Twelve seconds without a heartbeat, and a DataNode is dropped.
            .set("dfs.namenode.heartbeat.recheck-interval", "1000")
            .start();
    try {
      stock = cluster.fileSystem(false);
      large = SeededFile.write(stock, "/large", LENGTH, 1);
      small = SeededFile.write(stock, "/small", SMALL, 2);
      agent = AgentProcess.start(cluster, List.of(), Map.of(PLANE, "auto"));
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  Cluster cluster() {
    return cluster;
  }

  /** A file of several blocks. */
  SeededFile large() {
    return large;
  }

  /** A file that stock HDFS would be left to read at first. */
  SeededFile small() {
    return small;
  }

  /** What docs/resilience.md says that clients need. */
  Path conf() throws IOException {
    return agent.clientConf(
        RdioConfigKeys.CLIENT_AGENT.name(),
        "required",
        PLANE,
        "auto",
        "dfs.client.failover.proxy.provider." + FileSystem.getDefaultUri(stock.getConf()).getHost(),
        RecordingIPFailoverProxyProvider.class.getName());
  }

  /**
   * Kills all, as a crash would, and sees that stock HDFS fails. What was written is on the devices
   * by then, as it is half a minute later by itself.
   */
  void killDataNodes() throws Exception {
    for (int i = 0; i < DATA_NODES; i++) {
      Command.run("sync", "-f", cluster.volume(i).mountPoint().toString());
    }
    for (int i = 0; i < DATA_NODES; i++) {
      cluster.dataNode(i).kill();
    }
    assertStockFails();
  }

  private void assertStockFails() throws IOException {
    Configuration conf = cluster.clientConf(false);
    conf.set("dfs.client.retry.window.base", "10");
    try (FileSystem impatient = FileSystem.newInstance(conf);
        FSDataInputStream in = impatient.open(large.path())) {
      assertThatThrownBy(in::readAllBytes).isInstanceOf(IOException.class);
    }
  }

  /** Returns once the NameNode lists no DataNode for any block. */
  void awaitDropped() {
    await("the NameNode drops the DataNodes")
        .atMost(PATIENCE)
        .until(
            () ->
                Maps.blocks(stock, large.path()).stream()
                    .allMatch(block -> block.getLocations().length == 0));
  }

  @Override
  public void close() throws IOException {
    agent.close();
    stock.close();
    cluster.close();
  }
}
