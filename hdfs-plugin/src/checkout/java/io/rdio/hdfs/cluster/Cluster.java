// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import io.rdio.hdfs.cluster.SiteFiles.DataNodePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * A throwaway HDFS with the real parts: a NameNode and DataNodes as JVMs of their own, each
 * DataNode on its own ext4 or xfs on its own loop device. Needs root. All of it is in one folder
 * under the folder for temporary files, and goes on {@link #close} or when this JVM ends in
 * whatever way.
 */
public final class Cluster implements AutoCloseable {
  private static final List<String> DAEMON_OPTIONS = List.of("-Xmx1g", "-Drdio.log.level=INFO");
  private static final Duration START_TIME_MAX = Duration.ofSeconds(90);
  private static final String NAME_NODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
  private static final String DATA_NODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";

  private final Path folder;
  private final HadoopClassPath classPath;
  private final List<String> options;
  private final Teardown teardown;
  private final Configuration stockConf;
  private final Configuration rdioConf;
  private final HadoopDaemon nameNode;
  private final List<HadoopDaemon> dataNodes = new ArrayList<>();
  private final List<LoopVolume> volumes = new ArrayList<>();

  Cluster(ClusterBuilder builder, Path folder, Teardown teardown) throws IOException {
    this.folder = folder;
    this.classPath = builder.classPath;
    this.options = List.copyOf(builder.options);
    this.teardown = teardown;
    Set<Integer> taken = new HashSet<>();
    List<DataNodePorts> ports = new ArrayList<>();
    for (int i = 0; i < builder.dataNodes; i++) {
      ports.add(DataNodePorts.free(taken));
    }
    int httpPort = Ports.free(taken);
    stockConf =
        SiteFiles.common(folder, Ports.free(taken), httpPort, builder.dataNodes, builder.keys);
    rdioConf = SiteFiles.rdioClient(stockConf, ports, builder.keys.keySet());
    SiteFiles.write(confFolder(false), stockConf);
    SiteFiles.write(confFolder(true), rdioConf);
    for (int i = 0; i < builder.dataNodes; i++) {
      volumes.add(
          LoopVolume.create(
              folder.resolve("volume" + i),
              builder.fileSystem,
              builder.volumeBytes,
              builder.backing,
              teardown));
    }
    formatNameNode();
    nameNode = startNameNode(httpPort);
    for (int i = 0; i < builder.dataNodes; i++) {
      dataNodes.add(startDataNode(i, ports.get(i), builder));
    }
    nameNode.awaitReady();
    for (HadoopDaemon dataNode : dataNodes) {
      dataNode.awaitReady();
    }
  }

  /** Begins to say what a cluster shall be like. */
  public static ClusterBuilder builder() {
    return new ClusterBuilder();
  }

  private void formatNameNode() throws IOException {
    Process format =
        jvm(confFolder(false), DAEMON_OPTIONS, NAME_NODE, "-format", "-force", "-nonInteractive")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("format.log").toFile())
            .start();
    teardown.killLater(format.pid());
    if (ProcessEnd.statusOf(format, "NameNode -format") != 0) {
      throw new IOException(
          "NameNode -format failed:\n" + Files.readString(folder.resolve("format.log")));
    }
  }

  private HadoopDaemon startNameNode(int httpPort) throws IOException {
    return HadoopDaemon.start(
        "NameNode",
        jvm(confFolder(false), DAEMON_OPTIONS, NAME_NODE),
        folder.resolve("namenode.log"),
        "127.0.0.1:" + httpPort,
        Cluster::isActive,
        START_TIME_MAX,
        teardown);
  }

  private HadoopDaemon startDataNode(int i, DataNodePorts ports, ClusterBuilder builder)
      throws IOException {
    Path data = volumes.get(i).mountPoint().resolve("data");
    Path conf =
        SiteFiles.write(
            folder.resolve("conf-datanode" + i),
            SiteFiles.dataNode(stockConf, data, ports, builder.plugin, builder.keys.keySet()));
    List<String> options = new ArrayList<>(DAEMON_OPTIONS);
    options.addAll(builder.dataNodeOptions);
    return HadoopDaemon.start(
        "DataNode " + i,
        jvm(conf, options, DATA_NODE),
        folder.resolve("datanode" + i + ".log"),
        "127.0.0.1:" + ports.http(),
        Cluster::isRegistered,
        START_TIME_MAX,
        teardown);
  }

  /** Whether a NameNode serves clients. */
  public static boolean isActive(HadoopDaemon nameNode) throws IOException {
    return "active".equals(nameNode.jmx("Hadoop:service=NameNode,name=NameNodeStatus").get("State"))
        && "".equals(nameNode.jmx("Hadoop:service=NameNode,name=NameNodeInfo").get("Safemode"));
  }

  /** Whether a DataNode is registered with the NameNode, and the NameNode knows its blocks. */
  public static boolean isRegistered(HadoopDaemon dataNode) throws IOException {
    String actors =
        String.valueOf(
            dataNode.jmx("Hadoop:service=DataNode,name=DataNodeInfo").get("BPServiceActorInfo"));
    return actors.contains("\"ActorState\":\"RUNNING\"")
        && !actors.contains("\"LastBlockReport\":\"0\"");
  }

  /** A client or tool on this cluster, not started yet; killed with the cluster if registered. */
  public ProcessBuilder jvm(Path conf, List<String> more, String... mainClass) {
    List<String> all = new ArrayList<>(options);
    all.addAll(more);
    return HadoopJvm.of(folder, conf, classPath, all, mainClass);
  }

  /** Makes sure that a process started with {@link #jvm} does not outlive the cluster. */
  public void killLater(Process process) throws IOException {
    teardown.killLater(process.pid());
  }

  /** Undoes, with the cluster's own, whatever else is to go with it. */
  public Teardown teardown() {
    return teardown;
  }

  /** Where all of it is. */
  public Path folder() {
    return folder;
  }

  /** A folder for HADOOP_CONF_DIR whose clients read by RDIO, or by stock HDFS. */
  public Path confFolder(boolean rdio) {
    return folder.resolve(rdio ? "conf-rdio" : "conf-stock");
  }

  /**
   * Makes one more folder for HADOOP_CONF_DIR, of clients with these keys.
   *
   * @param name of the folder, not used before
   * @param rdio whether they read by RDIO, and not by stock HDFS
   */
  public Path addConfFolder(String name, boolean rdio, Map<String, String> keys)
      throws IOException {
    Configuration conf = new Configuration(rdio ? rdioConf : stockConf);
    keys.forEach(conf::set);
    return SiteFiles.write(folder.resolve(name), conf);
  }

  /** A client's configuration that reads by RDIO, or by stock HDFS. A new copy each time. */
  public Configuration clientConf(boolean rdio) {
    Configuration conf = new Configuration();
    (rdio ? rdioConf : stockConf).forEach(entry -> conf.set(entry.getKey(), entry.getValue()));
    return conf;
  }

  /** A new file system object with {@link #clientConf}, to be closed by the caller. */
  public FileSystem fileSystem(boolean rdio) throws IOException {
    return FileSystem.newInstance(clientConf(rdio));
  }

  /** The NameNode. */
  public HadoopDaemon nameNode() {
    return nameNode;
  }

  /** How many DataNodes there are. */
  public int dataNodes() {
    return dataNodes.size();
  }

  /** A DataNode, counted from 0. */
  public HadoopDaemon dataNode(int i) {
    return dataNodes.get(i);
  }

  /** The volume of a DataNode, counted from 0. */
  public LoopVolume volume(int i) {
    return volumes.get(i);
  }

  /** Writes all volumes back: what was written to their files is on their devices then. */
  public void writeBack() throws IOException {
    for (LoopVolume volume : volumes) {
      volume.writeBack();
    }
  }

  /** Writes all volumes back and drops their files from memory. */
  public void dropPageCaches() throws IOException {
    for (LoopVolume volume : volumes) {
      volume.dropPageCache();
    }
  }

  /**
   * Leaves the cluster up when this JVM ends, with two scripts in its folder: {@code stop} ends and
   * removes it; {@code dfs rdio|stock} with arguments is {@code hdfs dfs} with these.
   */
  public void keep() throws IOException {
    ProcessBuilder shell = jvm(Path.of("CONF"), List.of(), "org.apache.hadoop.fs.FsShell");
    String classPath =
        Objects.requireNonNull(shell.environment().get("CLASSPATH"))
            .replace("CONF", folder + "/conf-$1");
    Path script = folder.resolve("dfs");
    Files.write(
        script,
        List.of(
            "#!/bin/sh",
            "# dfs rdio|stock ARGUMENTS: hdfs dfs on this cluster",
            "export CLASSPATH=\"" + classPath + "\"",
            "shift",
            "exec " + String.join(" ", shell.command()) + " \"$@\""));
    Teardown.makeExecutable(script);
    teardown.keep();
  }

  /** Ends and removes everything. May be called again. */
  @Override
  public void close() {
    // A client in this JVM has its device open until it is collected, and with it the volume busy.
    System.gc();
    teardown.close();
  }
}
