// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RecordingIPFailoverProxyProvider;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.ReadOnce;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** What tests share whose DataNodes die while their files are read. */
final class PastDataNodes {
  private PastDataNodes() {}

  /** Of clusters in which leases and patience end within seconds. */
  static ClusterBuilder builder() throws IOException {
    return TestClusters.builder()
        .fileSystem("ext4")
        .set("dfs.datanode.rdio.lease.duration", "3s")
        .set("dfs.datanode.rdio.io.time.max", "1s")
        .set("dfs.client.rdio.lease.margin", "500ms")
        .set("dfs.client.rdio.datanode.backoff", "500ms")
        .set("dfs.client.retry.window.base", "100");
  }

  /**
   * Keys, with their values in turn, of a client that reads also what the NameNode does not list.
   * What the agent is told is asked for by itself, though such clients share its JVM.
   */
  static List<String> keys(Cluster cluster, ReadMode mode) throws IOException {
    return List.of(
        RdioConfigKeys.CLIENT_METADATA_PLANE.name(),
        "auto",
        RdioConfigKeys.CLIENT_LOCATIONS.name(),
        mode == ReadMode.BY_AGENT ? "namenode" : "recorded,namenode",
        provider(cluster),
        RecordingIPFailoverProxyProvider.class.getName());
  }

  private static String provider(Cluster cluster) throws IOException {
    return "dfs.client.failover.proxy.provider."
        + FileSystem.getDefaultUri(cluster.clientConf(true)).getHost();
  }

  /** Reads a file by a JVM that by default is too young to open devices for it. */
  static ReadOnce.Result readByFreshProcess(Cluster cluster, Path file) throws Exception {
    java.nio.file.Path conf =
        cluster.addConfFolder(
            "conf-fresh",
            true,
            Map.of(
                RdioConfigKeys.CLIENT_METADATA_PLANE.name(),
                "auto",
                RdioConfigKeys.CLIENT_DEVICE_AFTER.name(),
                RdioConfigKeys.CLIENT_DEVICE_AFTER.byDefault(),
                provider(cluster),
                RecordingIPFailoverProxyProvider.class.getName()));
    return ReadOnce.run(cluster, conf, List.of(), List.of(), file);
  }
}
