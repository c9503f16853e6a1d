// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.SiteFiles;
import io.rdio.hdfs.cluster.Teardown;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * HDFS on the test bed's hosts: NameNode and DataNode with RDIO's plugin on the DataNode's host,
 * the client on its own. The DataNode's second volume counts as SSD, so that a storage policy can
 * choose it. Logs go to the folder given.
 */
final class FabricHdfs implements AutoCloseable {
  /** Files below it lie on the DataNode's second volume. */
  static final String ON_PARTITION = "/partition/";

  /** The DataNode's host as the NameNode lists it. */
  static final String DATA_NODE_HOST = "datanode";

  /** The DataNode's host on the compute link. */
  private static final String COMPUTE_ADDRESS = "10.2.0.2";

  /** The same host, as the storage node, on which this JVM is, sees it. */
  private static final String STORAGE_ADDRESS = "10.1.0.2";

  private static final int NAME_NODE_PORT = 8020;
  private static final int NAME_NODE_HTTP_PORT = 9870;
  private static final int DATA_NODE_HTTP_PORT = 9864;

  /** An emulated processor is some thirty times slower. */
  private static final Duration START_TIME_MAX = Duration.ofMinutes(5);

  /** Short lives on an emulated processor: the second compiler does not pay. */
  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Path folder;
  private final Path logs;
  private final Configuration common;
  private final HadoopClassPath classPath = HadoopClassPath.ofThisJvm();
  private final Teardown teardown;
  private final HadoopDaemon nameNode;
  private final HadoopDaemon dataNode;
  private final Client client;

  /**
   * Starts all of it; takes a minute or two on an emulated processor.
   *
   * @param keys of all its processes, besides
   */
  FabricHdfs(Path folder, Path logs, Map<String, String> keys) throws IOException {
    this.folder = folder;
    this.logs = logs;
    teardown = Teardown.of(folder);
    common = common();
    keys.forEach(common::set);
    SiteFiles.write(folder.resolve("conf-stock"), common);
    SiteFiles.write(folder.resolve("conf-rdio"), rdioClient(common));
    SiteFiles.write(folder.resolve("conf-past"), pastDataNodesConf(common));
    SiteFiles.write(folder.resolve("conf-agent"), agentConf(common));
    SiteFiles.write(folder.resolve("conf-datanode"), dataNodeConf(common));
    // It loads its classes while the NameNode's folder is formatted.
    dataNode = daemon("DataNode", "conf-datanode", DATA_NODE_HTTP_PORT, Cluster::isRegistered);
    format();
    nameNode = daemon("NameNode", "conf-stock", NAME_NODE_HTTP_PORT, Cluster::isActive);
    client =
        new Client(
            CLIENT
                .place(jvm("conf-stock", "WARN", ClientMain.class.getName(), folder.toString()))
                .redirectError(logs.resolve("client.log").toFile()));
    nameNode.awaitReady();
    dataNode.awaitReady();
  }

  private Configuration common() {
    Configuration conf = new Configuration(false);
    conf.set("fs.defaultFS", "hdfs://" + COMPUTE_ADDRESS + ":" + NAME_NODE_PORT);
    conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
    conf.set("dfs.namenode.name.dir", folder.resolve("name").toUri().toString());
    conf.set("dfs.namenode.http-address", "0.0.0.0:" + NAME_NODE_HTTP_PORT);
    conf.setInt("dfs.replication", 1);
    conf.set("dfs.namenode.safemode.extension", "0");
    conf.set("dfs.heartbeat.interval", "1s");
    conf.set("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    return conf;
  }

  private static Configuration dataNodeConf(Configuration common) {
    Configuration conf = new Configuration(common);
    conf.set(
        "dfs.datanode.data.dir",
        "[DISK]" + data(Fabric.VOLUMES.get(0)) + ",[SSD]" + data(Fabric.VOLUMES.get(1)));
    conf.set("dfs.datanode.http.address", "0.0.0.0:" + DATA_NODE_HTTP_PORT);
    conf.set("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
    // The scanner's own reads would be counted with the clients'.
    conf.set("dfs.block.scanner.volume.bytes.per.second", "0");
    conf.set("dfs.datanode.plugins", "io.rdio.hdfs.datanode.RdioDataNodePlugin");
    conf.set("dfs.datanode.hostname", DATA_NODE_HOST);
    // Where the kernel's target has no reservations it goes on without.
    conf.set(RdioConfigKeys.DATANODE_FENCE.name(), "auto");
    return conf;
  }

  private static String data(Path volume) {
    return volume.resolve("data").toUri().toString();
  }

  private static Configuration rdioClient(Configuration common) {
    Configuration conf = new Configuration(common);
    conf.set(
        "dfs.client.replica.accessor.builder.classes",
        "io.rdio.hdfs.client.RdioReplicaAccessorBuilder");
    conf.set(RdioConfigKeys.CLIENT_ENABLED.name(), "true");
    // What stock HDFS serves while a map is fetched would be counted as RDIO's.
    conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0");
    conf.set(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
    // The first calls load classes, on both sides and on an emulated processor.
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "15s");
    conf.set(RdioConfigKeys.CLIENT_DATANODE_BACKOFF.name(), "5s");
    // A block whose device failed twice is left to stock HDFS for so long: in the tests, not 10
    // min.
    conf.set(RdioConfigKeys.CLIENT_QUARANTINE.name(), "5s");
    return conf;
  }

  private static Configuration pastDataNodesConf(Configuration common) {
    Configuration conf = rdioClient(common);
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "auto");
    return conf;
  }

  /** Of the agent, and of processes that read by nothing else. */
  private Configuration agentConf(Configuration common) {
    Configuration conf = pastDataNodesConf(common);
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), folder.resolve("agent.sock").toString());
    // Whoever opens a block waits so long for the agent, which makes copies meanwhile.
    conf.set(RdioConfigKeys.CLIENT_READ_TIMEOUT.name(), "60s");
    return conf;
  }

  /** Of a host's agent that writes, and of processes that write by nothing else. */
  private Configuration writesConf(Host host) {
    Configuration conf = rdioClient(common);
    conf.set("fs.hdfs.impl", "io.rdio.hdfs.client.RdioFileSystem");
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_UNPROVEN.name(), "true");
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.set(
        RdioConfigKeys.CLIENT_AGENT_SOCKET.name(),
        folder.resolve("agent-" + host.label() + ".sock").toString());
    return conf;
  }

  /** A host's agent that writes, on that host; not started yet. */
  ProcessBuilder writingAgent(Host host) throws IOException {
    List<String> command = new ArrayList<>(List.of("io.rdio.hdfs.cli.Rdio", "agent"));
    command.addAll(Agent.REPORTS);
    return writer(host, command.toArray(String[]::new));
  }

  /** A process of a host that writes by its agent, on that host; not started yet. */
  ProcessBuilder writer(Host host, String... mainClass) throws IOException {
    String conf = "conf-writes-" + host.label();
    if (Files.notExists(folder.resolve(conf))) {
      SiteFiles.write(folder.resolve(conf), writesConf(host));
    }
    return host.place(jvm(conf, "WARN", mainClass));
  }

  private ProcessBuilder jvm(String conf, String logLevel, String... mainClass) {
    List<String> options = new ArrayList<>(JVM_OPTIONS);
    options.add("-Drdio.log.level=" + logLevel);
    return HadoopJvm.of(folder, folder.resolve(conf), classPath, options, mainClass);
  }

  /** The rdio command as clients have it, not placed on a host yet. */
  ProcessBuilder rdio(String... words) {
    List<String> command = new ArrayList<>(List.of("io.rdio.hdfs.cli.Rdio"));
    command.addAll(List.of(words));
    return jvm("conf-rdio", "ERROR", command.toArray(String[]::new));
  }

  /** A client that reads past dead DataNodes, not placed on a host yet. */
  ProcessBuilder pastDataNodes(String... mainClass) {
    return jvm("conf-past", "WARN", mainClass);
  }

  /** The agent of a host, which reads past dead DataNodes, not placed on one yet. */
  ProcessBuilder agent() {
    List<String> command = new ArrayList<>(List.of("io.rdio.hdfs.cli.Rdio", "agent"));
    command.addAll(Agent.REPORTS);
    return jvm("conf-agent", "WARN", command.toArray(String[]::new));
  }

  /** A client that reads by the agent of its host alone, not placed on one yet. */
  ProcessBuilder byAgent(String... mainClass) {
    return jvm("conf-agent", "WARN", mainClass);
  }

  /** For logs. */
  Path logs() {
    return logs;
  }

  private HadoopDaemon daemon(
      String name, String conf, int httpPort, HadoopDaemon.Readiness readiness) throws IOException {
    String mainClass =
        "org.apache.hadoop.hdfs.server." + name.toLowerCase(Locale.ROOT) + "." + name;
    return HadoopDaemon.start(
        name,
        DATANODE.place(jvm(conf, "INFO", mainClass)),
        logs.resolve(name.toLowerCase(Locale.ROOT) + ".log"),
        STORAGE_ADDRESS + ":" + httpPort,
        readiness,
        START_TIME_MAX,
        teardown);
  }

  private void format() throws IOException {
    Path log = logs.resolve("format.log");
    Process process =
        jvm(
                "conf-stock",
                "INFO",
                "org.apache.hadoop.hdfs.server.namenode.NameNode",
                "-format",
                "-force",
                "-nonInteractive")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("NameNode -format failed:\n" + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while formatting the NameNode");
    }
  }

  Client client() {
    return client;
  }

  HadoopDaemon dataNode() {
    return dataNode;
  }

  /** What the links have carried so far. */
  Traffic traffic() throws IOException {
    return Traffic.soFar(dataNode.pid(), client.pid());
  }

  @Override
  public void close() {
    client.close();
    teardown.close();
  }
}
