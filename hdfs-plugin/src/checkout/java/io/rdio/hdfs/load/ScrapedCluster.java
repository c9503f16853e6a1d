// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.load;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.AgentDaemon;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume.Backing;
import io.rdio.hdfs.cluster.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A throwaway cluster with an agent, all of which show their metrics to Prometheus, and with
 * something for each of these to show: two DataNodes that want the same port for RDIO, so that one
 * does not serve; few pins, short leases and a small data cache with a flash tier, so that there
 * are recalls, renewals and evictions.
 */
final class ScrapedCluster implements AutoCloseable {
  private static final long VOLUME_BYTES = 2L << 30;
  private static final String FLASH_BYTES = "64m";
  private static final String HOST = "127.0.0.1:";
  private static final List<String> SHELL_OPTIONS =
      List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Drdio.log.level=ERROR");

  /** By the agent or by stock HDFS, so that the agent's figures tell of all that is by RDIO. */
  private static final Map<String, String> CLIENT_KEYS =
      Map.of(RdioConfigKeys.CLIENT_AGENT.name(), "required");

  private final Cluster cluster;
  private final String agentAddress;
  private final Path clientConf;

  private ScrapedCluster(Cluster cluster, String agentAddress) throws IOException {
    this.cluster = cluster;
    this.agentAddress = agentAddress;
    this.clientConf = cluster.addConfFolder("conf-client", true, CLIENT_KEYS);
  }

  /**
   * Starts all of it, which takes some twenty seconds.
   *
   * @throws IOException if something does not come up; then nothing is left of it
   */
  static ScrapedCluster start() throws IOException {
    Set<Integer> taken = new HashSet<>();
    String agentAddress = HOST + Ports.free(taken);
    Cluster cluster =
        Cluster.builder()
            .folderPrefix("rdio-load-")
            .dataNodes(2)
            .volumeBytes(VOLUME_BYTES)
            .backing(Backing.preferredFor(2 * VOLUME_BYTES))
            .set("dfs.replication", "1") // half of the blocks are where RDIO serves
            .set("dfs.blocksize", Long.toString(Applications.BLOCK_BYTES))
            .set("hadoop.prometheus.endpoint.enabled", "true")
            .set(RdioConfigKeys.AGENT_METRICS_ADDRESS.name(), agentAddress)
            .set(RdioConfigKeys.DATANODE_ADDRESS.name(), HOST + Ports.free(taken))
            .set("dfs.datanode.fsdataset.factory", "io.rdio.hdfs.datanode.RecallingDatasetFactory")
            .set(RdioConfigKeys.DATANODE_PINS_MAX.name(), "72")
            .set(RdioConfigKeys.DATANODE_LEASE_DURATION.name(), "20s")
            .set(RdioConfigKeys.CLIENT_DATA_CACHE.name(), "8m")
            .start();
    try {
      AgentDaemon.start(cluster, cluster.addConfFolder("conf-agent", true, flashKeys(cluster)));
      return new ScrapedCluster(cluster, agentAddress);
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** On a volume of a DataNode, for it must be on a file system with O_DIRECT. */
  private static Map<String, String> flashKeys(Cluster cluster) {
    return Map.of(
        RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_PATH.name(),
        cluster.volume(1).mountPoint().resolve("flash-tier").toString(),
        RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_SIZE.name(),
        FLASH_BYTES);
  }

  /** What Prometheus is to scrape, as the JSON of {@code file_sd_configs}. */
  String targets() {
    return """
        [{"labels": {"job": "rdio-agent"}, "targets": ["%s"]},
         {"labels": {"job": "hdfs-datanode", "__metrics_path__": "/prom"}, "targets": ["%s", "%s"]}]"""
        .formatted(
            agentAddress, cluster.dataNode(0).httpAddress(), cluster.dataNode(1).httpAddress());
  }

  /** A new client, by the agent or by stock HDFS alone, to be closed by the caller. */
  FileSystem fileSystem(boolean rdio) throws IOException {
    Configuration conf = cluster.clientConf(rdio);
    if (rdio) {
      CLIENT_KEYS.forEach(conf::set);
    }
    return FileSystem.newInstance(conf);
  }

  /** {@code hdfs dfs} by the agent, not started yet. */
  ProcessBuilder shell(String... arguments) {
    List<String> command = new ArrayList<>(List.of("org.apache.hadoop.fs.FsShell"));
    command.addAll(List.of(arguments));
    return cluster.jvm(clientConf, SHELL_OPTIONS, command.toArray(new String[0]));
  }

  /** Makes sure that a process does not outlive the cluster. */
  void killLater(Process process) throws IOException {
    cluster.killLater(process);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
