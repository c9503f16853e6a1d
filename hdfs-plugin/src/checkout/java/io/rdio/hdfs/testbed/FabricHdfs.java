// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static io.rdio.hdfs.testbed.Host.CLIENT;
import static io.rdio.hdfs.testbed.Host.DATANODE;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopClassPath;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.HadoopJvm;
import io.rdio.hdfs.cluster.ProcessEnd;
import io.rdio.hdfs.cluster.SiteFiles;
import io.rdio.hdfs.cluster.Teardown;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;

/**
 * HDFS on the test bed's hosts: NameNode and DataNode with RDIO's plugin on the DataNode's host,
 * further DataNodes on theirs, the client on its own. The first DataNode's second volume counts as
 * SSD, so that a storage policy can choose it. Logs go to the folder given.
 */
final class FabricHdfs implements AutoCloseable {
  /** Files below it lie on the DataNode's second volume. */
  static final String ON_PARTITION = "/partition/";

  /** The first DataNode's host as the NameNode lists it. */
  static final String DATA_NODE_HOST = DATANODE.label();

  /** The DataNode's host on the compute link. */
  private static final String COMPUTE_ADDRESS = "10.2.0.2";

  private static final String NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";
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
  private final Map<Host, HadoopDaemon> dataNodes = new EnumMap<>(Host.class);
  private final Client client;

  /**
   * Starts all of it; takes some minutes on an emulated processor.
   *
   * @param keys of all its processes, besides
   * @param count of DataNodes
   */
  FabricHdfs(Path folder, Path logs, Map<String, String> keys, int count) throws IOException {
    this.folder = folder;
    this.logs = logs;
    teardown = Teardown.of(folder);
    common = common();
    keys.forEach(common::set);
    SiteFiles.write(folder.resolve("conf-stock"), common);
    SiteFiles.write(folder.resolve("conf-rdio"), rdioClient(common));
    SiteFiles.write(folder.resolve("conf-past"), pastDataNodesConf(common));
    SiteFiles.write(folder.resolve("conf-agent"), agentConf(common));
    // It loads its classes while the NameNode's folder is formatted.
    dataNodes.put(DATANODE, startDataNode(DATANODE));
    format();
    nameNode =
        daemon(
            DATANODE,
            "namenode",
            jvm("conf-stock", "INFO", NAME_NODE),
            NAME_NODE_HTTP_PORT,
            Cluster::isActive);
    client =
        new Client(
            CLIENT.place(jvm("conf-stock", "WARN", ClientMain.class.getName(), folder.toString())),
            logs.resolve("client.log"));
    nameNode.awaitReady();
    // Behind it: all at once they would take longer than each may.
    for (Host host : Host.dataNodes(count).subList(1, count)) {
      dataNodes.put(host, startDataNode(host));
    }
    for (HadoopDaemon dataNode : dataNodes.values()) {
      dataNode.awaitReady();
    }
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

  private static Configuration dataNodeConf(Configuration common, Host host) {
    Configuration conf = new Configuration(common);
    String disk = "[DISK]" + data(Fabric.volume(host));
    conf.set(
        "dfs.datanode.data.dir",
        host == DATANODE ? disk + ",[SSD]" + data(Fabric.VOLUMES.get(1)) : disk);
    conf.set("dfs.datanode.http.address", "0.0.0.0:" + DATA_NODE_HTTP_PORT);
    conf.set("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
    // The scanner's own reads would be counted with the clients'.
    conf.set("dfs.block.scanner.volume.bytes.per.second", "0");
    conf.set("dfs.datanode.plugins", "io.rdio.hdfs.datanode.RdioDataNodePlugin");
    conf.set("dfs.datanode.hostname", host.label());
    // Where the kernel's target has no reservations it goes on without.
    conf.setIfUnset(RdioConfigKeys.DATANODE_FENCE.name(), "auto");
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

  private HadoopDaemon startDataNode(Host host) throws IOException {
    String conf = "conf-" + host.label();
    SiteFiles.write(folder.resolve(conf), dataNodeConf(common, host));
    return daemon(
        host,
        host.label(),
        jvm(conf, "INFO", DATA_NODE),
        DATA_NODE_HTTP_PORT,
        Cluster::isRegistered);
  }

  /**
   * Starts one.
   *
   * @param name of it, and of its log
   */
  private HadoopDaemon daemon(
      Host host, String name, ProcessBuilder jvm, int httpPort, HadoopDaemon.Readiness readiness)
      throws IOException {
    return HadoopDaemon.start(
        name,
        host.place(jvm),
        logs.resolve(name + ".log"),
        storageAddress(host) + ":" + httpPort,
        readiness,
        START_TIME_MAX,
        teardown);
  }

  /** The host of a DataNode, as the storage node, on which this JVM is, sees it. */
  private static String storageAddress(Host dataNode) {
    return "10.1" + dataNode.label().substring(DATANODE.label().length()) + ".0.2";
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
    if (ProcessEnd.statusOf(process, "NameNode -format", Waits.ANSWER) != 0) {
      throw new IOException("NameNode -format failed:\n" + Files.readString(log));
    }
  }

  Client client() {
    return client;
  }

  /** The first one. */
  HadoopDaemon dataNode() {
    return Objects.requireNonNull(dataNodes.get(DATANODE));
  }

  /** All of them, by their hosts. */
  Map<Host, HadoopDaemon> dataNodes() {
    return Collections.unmodifiableMap(dataNodes);
  }

  /** What the links of a bed with one DataNode have carried so far towards a reader. */
  Traffic traffic() throws IOException {
    return Traffic.soFar(dataNode().pid(), client.pid());
  }

  /** What the links of a bed with several have carried so far. */
  LinkBytes links() throws IOException {
    Map<Host, Long> pids = new EnumMap<>(Host.class);
    pids.put(CLIENT, client.pid());
    dataNodes.forEach((host, dataNode) -> pids.put(host, dataNode.pid()));
    return LinkBytes.soFar(pids);
  }

  @Override
  public void close() {
    client.close();
    teardown.close();
  }
}
