// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.HadoopDaemon;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/**
 * A cluster that agents write to, full of other files but for what {@link SteppedClient}s need, and
 * an agent whose steps are counted. For one thread.
 */
final class SteppedHdfs implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(20);

  /** A group whose agent died is stock HDFS's when it is over, and slots are back behind that. */
  private static final Duration LEASE = Duration.ofSeconds(6);

  /** Or an agent on a busy machine would have to end leases that it was about to renew. */
  private static final String MARGIN = "500ms";

  private static final Duration IO_TIME = Duration.ofSeconds(2);

  /** Before a client asks a second time whether its block is there; twice as long each time. */
  private static final String FIRST_PAUSE_MILLIS = "100";

  /** So that it asks for longer than by default. */
  private static final String QUESTIONS = "8";

  private final Cluster cluster;
  private final DistributedFileSystem stock;
  private final Room room;
  private final ForeignFiles foreign;
  private final Steps steps;
  private final AgentProcess agent;
  private int runs;

  /**
   * How much there is on each volume.
   *
   * @param volume bytes of it
   * @param left bytes of those for what the clients write, slots among them; other files have the
   *     rest
   * @param pool bytes of the slots
   * @param slots that there are before a client begins: more than it takes
   */
  record Room(long volume, long left, long pool, int slots) {}

  /**
   * @param block bytes of a block
   * @param more keys of the cluster
   */
  SteppedHdfs(int dataNodes, int block, Room room, Map<String, String> more) throws IOException {
    this.room = room;
    ClusterBuilder builder =
        TestClusters.builder()
            .dataNodes(dataNodes)
            .volumeBytes(room.volume())
            .set("dfs.blocksize", Integer.toString(block))
            .set("dfs.block.access.token.enable", "true")
            .set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "20s")
            .set(RdioConfigKeys.CLIENT_LEASE_MARGIN.name(), MARGIN)
            .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
            .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), Long.toString(room.pool()))
            .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE.toSeconds() + "s")
            .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_TIME.toSeconds() + "s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            // Each kill takes some JVMs that live for seconds, also where all are done.
            .option("-XX:TieredStopAtLevel=1");
    for (Map.Entry<String, String> key : more.entrySet()) {
      builder.set(key.getKey(), key.getValue());
    }
    cluster = builder.start();
    try {
      stock = (DistributedFileSystem) cluster.fileSystem(false);
      foreign = new ForeignFiles(stock, cluster.volume(0).mountPoint(), room.left());
      steps = Steps.of(cluster);
      agent =
          AgentProcess.startBy(
              SteppedAgent.class.getName(),
              cluster,
              Map.of(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on"));
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  Cluster cluster() {
    return cluster;
  }

  /** Which knows nothing of RDIO. */
  DistributedFileSystem stock() {
    return stock;
  }

  /** What {@link CountedSteps} calls the DataNodes. */
  List<String> dataNodes() {
    return IntStream.range(0, cluster.dataNodes())
        .mapToObj(i -> SteppedDataNode.process(cluster.dataNode(i)))
        .toList();
  }

  /**
   * A folder for HADOOP_CONF_DIR of clients for whom the agent writes.
   *
   * @param more keys and values in turn
   */
  Path clientConf(String... more) throws IOException {
    List<String> keys =
        new ArrayList<>(
            List.of(
                "fs.hdfs.impl",
                RdioFileSystem.class.getName(),
                RdioConfigKeys.CLIENT_WRITE.name(),
                "auto",
                RdioConfigKeys.CLIENT_WRITE_SMALL.name(),
                "64k",
                RdioConfigKeys.CLIENT_AGENT.name(),
                "required",
                HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_INITIAL_DELAY_MS_KEY,
                FIRST_PAUSE_MILLIS,
                HdfsClientConfigKeys.BlockWrite.LOCATEFOLLOWINGBLOCK_RETRIES_KEY,
                QUESTIONS));
    SteppedSockets.KEYS.forEach(
        (key, value) -> {
          keys.add(key);
          keys.add(value);
        });
    keys.addAll(List.of(more));
    return agent.clientConf(keys.toArray(String[]::new));
  }

  /**
   * A client's run that has not begun yet; when it does, there are slots for it.
   *
   * @param folder of clients' folders; ends with a slash
   */
  SteppedRun run(Path clientConf, String folder, SteppedShape shape, Set<Kind> kinds)
      throws IOException {
    return new SteppedRun(
        new SteppedRun.Parts(cluster, steps, agent, clientConf, this::awaitSlots),
        folder + "stepped-" + runs++,
        shape,
        kinds);
  }

  /** A pool's files outlive its DataNode, so that one is asked, too, whether it lends them yet. */
  private void awaitSlots() {
    for (int i = 0; i < cluster.dataNodes(); i++) {
      Path pool = slots(i).resolve("pool");
      HadoopDaemon dataNode = cluster.dataNode(i);
      await("slots of DataNode " + i)
          .atMost(PATIENCE)
          .pollInterval(LOOK)
          .ignoreExceptionsInstanceOf(IOException.class) // its page does not tell of them yet
          .until(() -> Maps.files(pool).size() >= room.slots() && isLending(dataNode));
    }
  }

  private static boolean isLending(HadoopDaemon dataNode) throws IOException {
    Object free = dataNode.jmx("Hadoop:name=RdioDataNode-*,*").get("SlotsFree");
    return free != null && ((Number) free).longValue() > 0;
  }

  private Path slots(int dataNode) {
    return cluster.volume(dataNode).mountPoint().resolve("data/rdio/slots");
  }

  /** All slots come back, and nobody touched another file. */
  void assertNothingIsLeft() throws IOException {
    for (int i = 0; i < cluster.dataNodes(); i++) {
      Path slots = slots(i);
      await("slots of DataNode " + i)
          .atMost(LEASE.plus(IO_TIME).plus(IO_TIME).plus(PATIENCE))
          .untilAsserted(
              () -> {
                assertThat(Maps.files(slots.resolve("leased"))).isEmpty();
                assertThat(Maps.files(slots.resolveSibling("pins"))).isEmpty();
              });
    }
    cluster.dropPageCaches();
    foreign.check();
  }

  /** Replicas that nobody writes any more are gone: those of files that are deleted. */
  void assertNoReplicaIsBegun() {
    for (int i = 0; i < cluster.dataNodes(); i++) {
      Path current = cluster.volume(i).mountPoint().resolve("data/current");
      await("replicas of DataNode " + i)
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(Maps.files(current))
                      .noneMatch(file -> file.toString().contains("/rbw/")));
    }
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
