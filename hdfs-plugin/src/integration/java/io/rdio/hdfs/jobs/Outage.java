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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/**
 * A cluster whose DataNodes are to die while jobs read its files, by an agent or by devices, and
 * two files. Not thread-safe.
 */
final class Outage implements AutoCloseable {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 5 * BLOCK + 77;
  private static final int SMALL = 5000;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String PLANE = RdioConfigKeys.CLIENT_METADATA_PLANE.name();

  private final int dataNodes;
  private final Cluster cluster;
  private final FileSystem stock;
  private final AgentProcess agent;
  private final SeededFile large;
  private final SeededFile small;
  private final List<DroppedPackets> gone = new ArrayList<>();

  /**
   * Leases are short; all else that clients and the agent go by is as by default.
   *
   * @param recheck how often the NameNode looks for DataNodes to drop: those without a heartbeat
   *     for twice as long and ten seconds
   */
  Outage(int dataNodes, Duration recheck) throws Exception {
    this.dataNodes = dataNodes;
    Requirements.requireLoop("ext4");
    for (String tool : List.of("setpriv", "unshare", "python3")) {
      Requirements.requireTool(tool);
    }
    cluster =
        TestClusters.builder()
            .dataNodes(dataNodes)
            .volumeBytes(512L << 20)
            .set("dfs.replication", "1")
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.datanode.rdio.lease.duration", "3s")
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.client.rdio.lease.margin", "500ms")
            .set(
                RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
                RdioConfigKeys.CLIENT_FIRST_BYTES.byDefault())
            .set("dfs.namenode.heartbeat.recheck-interval", Long.toString(recheck.toMillis()))
            .start();
    try {
      stock = cluster.fileSystem(false);
      large = SeededFile.write(stock, "/large", LENGTH, 1);
      small = SeededFile.write(stock, "/small", SMALL, 2);
      agent = startAgent();
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

  /** One more agent, to be closed by the caller. */
  AgentProcess startAgent() throws IOException {
    return AgentProcess.start(cluster, List.of(), Map.of(PLANE, "auto"));
  }

  /** What docs/resilience.md says that clients of the agent need. */
  Path conf() throws IOException {
    return conf(agent);
  }

  /** The same of another agent. */
  Path conf(AgentProcess of) throws IOException {
    return conf(of, Map.of());
  }

  /** The same with more keys. */
  Path conf(Map<String, String> more) throws IOException {
    return conf(agent, more);
  }

  private Path conf(AgentProcess of, Map<String, String> more) throws IOException {
    List<String> keys = new ArrayList<>();
    more.forEach((key, value) -> keys.addAll(List.of(key, value)));
    keys.addAll(List.of(RdioConfigKeys.CLIENT_AGENT.name(), "required", PLANE, "auto"));
    keys.addAll(List.of(provider(), RecordingIPFailoverProxyProvider.class.getName()));
    return of.clientConf(keys.toArray(String[]::new));
  }

  /** That of clients that open devices themselves, when they have read as much as by default. */
  Path deviceConf(String name) throws IOException {
    return cluster.addConfFolder(
        name,
        true,
        Map.of(
            RdioConfigKeys.CLIENT_AGENT.name(),
            "off",
            RdioConfigKeys.CLIENT_DEVICE_AFTER.name(),
            RdioConfigKeys.CLIENT_DEVICE_AFTER.byDefault(),
            PLANE,
            "auto",
            provider(),
            RecordingIPFailoverProxyProvider.class.getName()));
  }

  private String provider() {
    return "dfs.client.failover.proxy.provider."
        + FileSystem.getDefaultUri(stock.getConf()).getHost();
  }

  /**
   * Has all DataNodes die, and sees that stock HDFS fails. What was written is on the devices by
   * then, as it is half a minute later by itself.
   */
  void begin(Death death) throws Exception {
    for (int i = 0; i < dataNodes; i++) {
      Command.run("sync", "-f", cluster.volume(i).mountPoint().toString());
    }
    for (int i = 0; i < dataNodes; i++) {
      die(i, death);
    }
    assertStockFails();
  }

  private void die(int i, Death death) throws IOException {
    switch (death) {
      case PROCESS -> cluster.dataNode(i).kill();
      case HOST -> {
        gone.add(DroppedPackets.of(cluster, i)); // first: nobody hears of its connections' end
        cluster.dataNode(i).kill();
      }
      case HANG -> Command.run("kill", "-STOP", Long.toString(cluster.dataNode(i).pid()));
    }
  }

  /** Not after a minute for each try, as it would by itself. */
  private void assertStockFails() throws IOException {
    Configuration conf = cluster.clientConf(false);
    conf.set("dfs.client.retry.window.base", "10");
    conf.set("dfs.client.socket-timeout", "1000");
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
    for (int i = 0; i < dataNodes; i++) {
      cluster.dataNode(i).kill(); // also one that hangs
    }
    for (DroppedPackets host : gone) {
      host.close();
    }
    cluster.close();
  }
}
