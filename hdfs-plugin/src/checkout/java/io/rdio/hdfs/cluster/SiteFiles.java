// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.RdioConfigKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/** The configuration of a throwaway cluster: which keys, and the folders that daemons read. */
public final class SiteFiles {
  private static final String HOST = "127.0.0.1";

  /** The ports of one DataNode. */
  record DataNodePorts(int transfer, int ipc, int http, int rdio) {
    static DataNodePorts free(Set<Integer> taken) throws IOException {
      return new DataNodePorts(
          Ports.free(taken), Ports.free(taken), Ports.free(taken), Ports.free(taken));
    }
  }

  private SiteFiles() {}

  /** What NameNode, DataNodes and clients have in common. */
  static Configuration common(
      Path folder,
      int nameNodePort,
      int nameNodeHttpPort,
      int dataNodes,
      Map<String, String> keys) {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "hdfs://" + HOST + ":" + nameNodePort);
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    conf.set("dfs.namenode.name.dir", folder.resolve("name").toUri().toString());
    conf.set("dfs.namenode.http-address", HOST + ":" + nameNodeHttpPort);
    conf.setInt("dfs.replication", Math.min(3, dataNodes));
    // Seconds instead of minutes until a start, a restart or a deletion shows.
    conf.set("dfs.namenode.safemode.extension", "0");
    conf.set("dfs.heartbeat.interval", "1s");
    conf.set("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    // A block is wanted on each DataNode, also on one that looks busy beside the others.
    conf.set("dfs.namenode.redundancy.considerLoad", "false");
    keys.forEach(conf::set);
    return conf;
  }

  /** What one DataNode has besides. */
  static Configuration dataNode(
      Configuration common, Path data, DataNodePorts ports, boolean plugin, Set<String> fixed) {
    Configuration conf = new Configuration(common);
    setUnlessFixed(conf, "dfs.datanode.data.dir", "[DISK]" + data.toUri(), fixed);
    conf.set("dfs.datanode.hostname", HOST);
    // By default a DataNode leaves one gigabyte free, which is all that a small volume has.
    conf.set("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
    conf.set("dfs.datanode.address", HOST + ":" + ports.transfer());
    conf.set("dfs.datanode.ipc.address", HOST + ":" + ports.ipc());
    conf.set("dfs.datanode.http.address", HOST + ":" + ports.http());
    if (plugin) {
      setUnlessFixed(
          conf, "dfs.datanode.plugins", "io.rdio.hdfs.datanode.RdioDataNodePlugin", fixed);
      setUnlessFixed(
          conf, RdioConfigKeys.DATANODE_ADDRESS.name(), HOST + ":" + ports.rdio(), fixed);
    }
    return conf;
  }

  /** What a client that reads by RDIO has besides. */
  static Configuration rdioClient(
      Configuration common, List<DataNodePorts> ports, Set<String> fixed) {
    Configuration conf = new Configuration(common);
    setUnlessFixed(
        conf,
        "dfs.client.replica.accessor.builder.classes",
        "io.rdio.hdfs.client.RdioReplicaAccessorBuilder",
        fixed);
    setUnlessFixed(conf, RdioConfigKeys.CLIENT_ENABLED.name(), "true", fixed);
    // These clients' reads are few, and to be RDIO's from the first one on.
    setUnlessFixed(conf, RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0", fixed);
    // This machine's own agent, if it has one, is not for this cluster.
    setUnlessFixed(
        conf,
        RdioConfigKeys.CLIENT_AGENT_SOCKET.name(),
        conf.get("hadoop.tmp.dir") + "/agent.sock",
        fixed);
    // Several DataNodes on one host cannot share a port: then the client asks each for its own.
    int port = ports.size() == 1 ? ports.get(0).rdio() : 0;
    setUnlessFixed(conf, RdioConfigKeys.CLIENT_DATANODE_PORT.name(), Integer.toString(port), fixed);
    return conf;
  }

  private static void setUnlessFixed(
      Configuration conf, String key, String value, Set<String> fixed) {
    if (!fixed.contains(key)) {
      conf.set(key, value);
    }
  }

  /** Writes a folder that HADOOP_CONF_DIR can name, or writes it anew. */
  public static Path write(Path folder, Configuration conf) throws IOException {
    Files.createDirectories(folder);
    // Both, since HDFS's own defaults hide dfs keys of core-site.xml, and only HDFS reads the
    // other.
    for (String name : List.of("core-site.xml", "hdfs-site.xml")) {
      try (OutputStream out = Files.newOutputStream(folder.resolve(name))) {
        conf.writeXml(out);
      }
    }
    for (String name : List.of("log4j.properties", "hadoop-metrics2.properties")) {
      try (InputStream resource =
          Objects.requireNonNull(SiteFiles.class.getResourceAsStream(name), name)) {
        Files.copy(resource, folder.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    return folder;
  }
}
