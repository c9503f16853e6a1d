// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import io.rdio.agent.ipc.AgentProbe;
import io.rdio.core.FallbackException;
import io.rdio.core.testing.Command;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Groups;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.protocol.SystemErasureCodingPolicies;
import org.apache.hadoop.hdfs.tools.DFSck;

/**
 * A DataNode for each block of a group and one more, each on its own device, and an agent that
 * writes there. The one more is where the NameNode makes a block that is missing: it knows a
 * DataNode that just died for alive, and has it for no target of that block once it failed as one.
 */
final class StripedHdfs implements AutoCloseable {
  static final ErasureCodingPolicy POLICY =
      SystemErasureCodingPolicies.getByID(SystemErasureCodingPolicies.RS_3_2_POLICY_ID);
  static final int UNITS = Groups.units(POLICY);
  static final int CELL = POLICY.getCellSize();
  static final int STRIPE = CELL * POLICY.getNumDataUnits();
  static final int BLOCK = 4 << 20;
  static final int GROUP = BLOCK * POLICY.getNumDataUnits();
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final int DATA_NODES = UNITS + 1;

  /** Of full blocks, of a volume: more than any test takes. */
  private static final int SLOTS = 5;

  private static final Path FOLDER = new Path("/striped");

  final Cluster cluster;
  final DistributedFileSystem stock;
  final AgentProcess agent;

  StripedHdfs() throws IOException {
    cluster =
        TestClusters.builder()
            .fileSystem("ext4")
            .dataNodes(DATA_NODES)
            .volumeBytes(500L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.namenode.redundancy.interval.seconds", "1s")
            .set("dfs.namenode.reconstruction.pending.timeout-sec", "5")
            // An empty replica that a recovery leaves is in the way of one made anew until then.
            .set("dfs.blockreport.intervalMsec", "5000")
            // The first answers of so many JVMs take longer than the usual time on a busy machine,
            // and one that was started again is not to be left alone: tests want it for a target.
            .set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "10s")
            .set(RdioConfigKeys.CLIENT_DATANODE_BACKOFF.name(), "500ms")
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "60m")
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), "20s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), "1s")
            .start();
    try {
      stock = (DistributedFileSystem) cluster.fileSystem(false);
      stock.mkdirs(FOLDER);
      stock.enableErasureCodingPolicy(POLICY.getName());
      stock.setErasureCodingPolicy(FOLDER, POLICY.getName());
      agent =
          AgentProcess.start(
              cluster,
              List.of(),
              Map.of(
                  RdioConfigKeys.CLIENT_AGENT_WRITE.name(),
                  "on",
                  RdioConfigKeys.CLIENT_WRITE_PARITY_ALARM.name(),
                  "1s"));
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Content for a file of a name. */
  static SeededFile file(String name, int length) {
    return new SeededFile(new Path(FOLDER, name), SeededFile.random(length, name.hashCode()));
  }

  /** A client whose files the agent writes, however small they are. */
  FileSystem client(String parity, String... more) throws IOException {
    Configuration conf = cluster.clientConf(true);
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    conf.set(RdioConfigKeys.CLIENT_WRITE.name(), "auto");
    conf.set(RdioConfigKeys.CLIENT_WRITE_SMALL.name(), "0");
    conf.set(RdioConfigKeys.CLIENT_WRITE_PARITY.name(), parity);
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), agent.socket().toString());
    for (int i = 0; i < more.length; i += 2) {
      conf.set(more[i], more[i + 1]);
    }
    return FileSystem.newInstance(conf);
  }

  /**
   * The pools are filled while nobody waits for it. Their files outlive a DataNode, so that it is
   * asked, too, whether it lends them.
   */
  void awaitSlots() {
    await("slots")
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class) // of a page that is not there yet
        .until(
            () -> {
              for (int i = 0; i < DATA_NODES; i++) {
                java.nio.file.Path pool =
                    cluster.volume(i).mountPoint().resolve("data/rdio/slots/pool/" + BLOCK);
                if (Maps.files(pool).size() < SLOTS || slotsFree(i) < SLOTS) {
                  return false;
                }
              }
              return true;
            });
  }

  private long slotsFree(int dataNode) throws IOException {
    Object free = cluster.dataNode(dataNode).jmx("Hadoop:name=RdioDataNode-*,*").get("SlotsFree");
    return free == null ? 0 : ((Number) free).longValue();
  }

  /**
   * Starts the agent again that was killed. What clients in this JVM have of the dead one goes, or
   * the next file would find out, and be stock HDFS's.
   */
  void restartAgent() throws IOException {
    agent.restart();
    agent.closeClients();
  }

  /** A figure of the agent. */
  long figure(String name) throws FallbackException {
    String text = AgentProbe.status(agent.socket().toString(), TimeUnit.SECONDS.toNanos(10));
    Matcher line = Pattern.compile("rdio_agent_" + name + " (\\d+)\n").matcher(text);
    if (!line.find()) {
      throw new AssertionError(name + " is not among " + text);
    }
    return Long.parseLong(line.group(1));
  }

  /** Whether the NameNode knows of each block that each group of a file has. */
  boolean isWhole(Path path) throws IOException {
    for (LocatedStripedBlock group : groups(path)) {
      if (!Groups.isWhole(group, POLICY)) {
        return false;
      }
    }
    return true;
  }

  void awaitWhole(Path path) {
    await().atMost(PATIENCE).until(() -> isWhole(path));
  }

  List<LocatedStripedBlock> groups(Path path) throws IOException {
    return stock.getClient().getLocatedBlocks(path.toString(), 0).getLocatedBlocks().stream()
        .map(LocatedStripedBlock.class::cast)
        .toList();
  }

  /** The DataNode of a block of the last group of a file, which may be open. */
  HadoopDaemon dataNode(Path path, int unit) throws IOException {
    LocatedBlock last =
        stock.getClient().getLocatedBlocks(path.toString(), 0).getLastLocatedBlock();
    LocatedStripedBlock group = (LocatedStripedBlock) last;
    for (int i = 0; i < group.getBlockIndices().length; i++) {
      if (group.getBlockIndices()[i] == unit) {
        return dataNode(group.getLocations()[i].getInfoPort());
      }
    }
    throw new AssertionError("block " + unit + " of " + group + " is nowhere");
  }

  private HadoopDaemon dataNode(int infoPort) {
    for (int i = 0; i < DATA_NODES; i++) {
      if (cluster.dataNode(i).httpAddress().endsWith(":" + infoPort)) {
        return cluster.dataNode(i);
      }
    }
    throw new AssertionError("no DataNode has port " + infoPort);
  }

  /** SIGSTOP or SIGCONT. */
  static void signal(HadoopDaemon daemon, String signal) throws IOException {
    Command.run("kill", signal, Long.toString(daemon.pid()));
  }

  /** Reads all of a file by stock HDFS, by a client that knows of nothing yet. */
  void assertContent(SeededFile file) throws IOException {
    try (FileSystem fs = FileSystem.newInstance(cluster.clientConf(false));
        FSDataInputStream in = fs.open(file.path())) {
      byte[] got = in.readAllBytes();
      if (got.length != file.bytes().length) {
        throw new AssertionError(got.length + " bytes instead of " + file.bytes().length);
      }
      file.check(0, got);
    }
  }

  /** What {@code hdfs fsck} says of a file. */
  String fsck(Path path) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new DFSck(cluster.clientConf(false), new PrintStream(out, true, UTF_8))
        .run(new String[] {path.toString()});
    return out.toString(UTF_8);
  }

  @Override
  public void close() throws IOException {
    try {
      agent.close();
      stock.close();
    } finally {
      cluster.close();
    }
  }
}
