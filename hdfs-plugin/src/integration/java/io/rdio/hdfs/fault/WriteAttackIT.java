// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.AgentProcess;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.QueuedDevice;
import io.rdio.hdfs.it.RdioClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

/**
 * Clients write by an agent to volumes that are full of other files, over a fabric that finishes
 * writes late, while clients, agent and DataNodes are killed and paused. No other file changes,
 * what was closed is what was written, and no slot is lost. That its fabric does harm where it is
 * slower than {@code I}, and without W6, is shown by {@code LateWriteIT}.
 *
 * <p>Once more with files of deleted blocks that are slots again (W15), while others read these
 * blocks by stock HDFS and by RDIO: they get no byte that is not the block's.
 *
 * <p>{@code -Drdio.attack.seconds=N} sets how long, {@code -Drdio.attack.seed=N} repeats a run's
 * choices; with {@code -Drdio.attack.fabric.millis=20000} the fabric is much slower than {@code I},
 * and the test has to fail.
 */
@Tag("loop")
final class WriteAttackIT {
  private static final long SECONDS =
      Long.getLong("rdio.attack.seconds", Boolean.getBoolean("rdio.test.all") ? 60 : 12);
  private static final long SEED = Long.getLong("rdio.attack.seed", System.nanoTime());
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long VOLUME = 900L << 20;

  /** For what clients write and delete within the time that hold links keep it. */
  private static final long LEFT = 550L << 20;

  /**
   * What the DataNodes believe of the fabric, and what it keeps to, with time for a busy machine.
   */
  private static final long IO_MILLIS = 4_000;

  private static final long FABRIC_MILLIS =
      Long.getLong("rdio.attack.fabric.millis", IO_MILLIS / 2);
  private static final long LEASE_MILLIS = 3_000;

  private final Random random = new Random(SEED);
  private Cluster cluster;
  private int dataNodes;
  private boolean recycles;
  private RecycledFiles recycled;
  private DistributedFileSystem stock;
  private ForeignFiles foreign;
  private AttackClients.Said said;

  /** File system, DataNodes, replicas, and whether files of deleted blocks are slots again. */
  static List<Arguments> cases() {
    List<Arguments> all = new ArrayList<>();
    for (boolean recycling : new boolean[] {false, true}) {
      all.add(Arguments.of("ext4", 1, "1", recycling));
      if (TestClusters.fileSystems().contains("xfs")) {
        all.add(Arguments.of("xfs", 1, "1", recycling));
        all.add(Arguments.of("ext4", 3, "2,3", recycling));
        all.add(Arguments.of("xfs", 3, "2,3", recycling));
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void harmsNobody(String fsType, int nodes, String replications, boolean recycling)
      throws Exception {
    Requirements.requireLoop(fsType);
    dataNodes = nodes;
    recycles = recycling;
    try (Cluster started = start(fsType, nodes, recycling);
        FileSystem fs = started.fileSystem(false)) {
      cluster = started;
      recycled = new RecycledFiles(started);
      stock = (DistributedFileSystem) fs;
      stock.mkdirs(AttackClient.FOLDER);
      if (recycling) {
        recycled.requireZeros();
      }
      foreign = new ForeignFiles(stock, cluster.volume(0).mountPoint(), LEFT);
      attack(replications);
      recoverOpenFiles();
      awaitAllSlots();
      cluster.dropPageCaches();
      foreign.check();
      checkFiles();
      assertThat(Fsck.ofAllFiles(cluster.clientConf(false))).contains("is HEALTHY");
    } catch (TestAbortedException e) {
      throw e; // something is not there
    } catch (Exception | AssertionError e) {
      throw new AssertionError("with -Drdio.attack.seed=" + SEED, e);
    }
  }

  private static Cluster start(String fsType, int nodes, boolean recycling) throws IOException {
    return TestClusters.builder()
        .fileSystem(fsType)
        .dataNodes(nodes)
        .volumeBytes(VOLUME)
        .set("dfs.blocksize", Integer.toString(AttackClient.BLOCK))
        .set("dfs.block.access.token.enable", "true")
        .set(RdioConfigKeys.DATANODE_WRITE.name(), "on")
        .set(RdioConfigKeys.DATANODE_WRITE_POOL_SIZE.name(), "40m")
        .set(RdioConfigKeys.DATANODE_WRITE_LEASE_DURATION.name(), LEASE_MILLIS + "ms")
        .set(RdioConfigKeys.DATANODE_WRITE_IO_TIME_MAX.name(), IO_MILLIS + "ms")
        .set(RdioConfigKeys.DATANODE_WRITE_RECYCLE.name(), Boolean.toString(recycling))
        .set(RdioConfigKeys.DATANODE_LEASE_DURATION.name(), "4s") // of readers, which pin
        .set(RdioConfigKeys.DATANODE_IO_TIME_MAX.name(), "1s")
        .set("dfs.datanode.rdio.recall.check.interval", "200ms")
        .set("dfs.client.rdio.lease.margin", "500ms")
        .set("dfs.client.rdio.datanode.backoff", "500ms")
        .set("dfs.client.retry.window.base", "50")
        .set("dfs.namenode.redundancy.interval.seconds", "1s")
        .start();
  }

  private void attack(String replications) throws Exception {
    List<QueuedDevice> ways = new ArrayList<>();
    LateWrites fabric = new LateWrites(new Random(random.nextLong()), FABRIC_MILLIS);
    try {
      for (int i = 0; i < dataNodes; i++) {
        ways.add(QueuedDevice.to(cluster.volume(i).device(), fabric));
      }
      attack(ways, replications);
    } finally {
      fabric.close();
      for (QueuedDevice way : ways) {
        way.close();
      }
    }
    System.out.printf("%d writes held, %d repeated; %s%n", fabric.held(), fabric.repeated(), said);
    assertThat(fabric.held()).isPositive();
    assertThat(fabric.repeated()).isPositive();
    assertThat(said.bytes()).as("written by agents").isPositive();
    assertThat(said.closed()).isNotEmpty();
  }

  private static String devices(List<QueuedDevice> ways, Function<QueuedDevice, String> asKey) {
    return ways.stream().map(asKey).collect(Collectors.joining(","));
  }

  private AttackReaders startReaders(List<QueuedDevice> ways) throws IOException {
    return AttackReaders.start(cluster, devices(ways, QueuedDevice::ownAsKey), SEED);
  }

  private void attack(List<QueuedDevice> ways, String replications) throws Exception {
    String devices = devices(ways, QueuedDevice::asKey);
    Map<String, String> keys =
        Map.of("dfs.client.rdio.agent.write", "on", RdioConfigKeys.CLIENT_DEVICES.name(), devices);
    try (AgentProcess agent = AgentProcess.start(cluster, List.of(), keys);
        AttackClients clients =
            new AttackClients(
                cluster,
                agent.clientConf(
                    "fs.hdfs.impl",
                    RdioFileSystem.class.getName(),
                    RdioConfigKeys.CLIENT_WRITE.name(),
                    "auto",
                    RdioConfigKeys.CLIENT_WRITE_SMALL.name(),
                    "64k",
                    RdioConfigKeys.CLIENT_AGENT.name(),
                    "required"),
                random,
                replications);
        AttackReaders readers = recycles ? startReaders(ways) : null) {
      AttackFaults faults = new AttackFaults(cluster, dataNodes, agent, clients, random);
      awaitFirstBytes(clients);
      long begin = System.nanoTime();
      while (goesOn(System.nanoTime() - begin)) {
        faults.next();
        recycled.look();
        foreign.rewriteSome();
        clients.goOn(500 + random.nextInt(1_500));
        recycled.look(); // before the next fault: whoever is killed counts from zero again
      }
      if (readers != null) {
        readers.end();
      }
      clients.killAll();
      said = clients.said();
      System.out.printf("seed %d, %s; %s; %s%n", SEED, faults, recycled, readers);
    }
    assertThat(recycled.taken() > 0).as(recycled.toString()).isEqualTo(recycles);
    assertThat(recycled.reborn() > 0).as(recycled.toString()).isEqualTo(recycles);
  }

  /** Where files are to come back, also until one was seen as another block's, within bounds. */
  private boolean goesOn(long nanos) {
    return nanos < TimeUnit.SECONDS.toNanos(SECONDS)
        || (recycles && !isSeen() && nanos < PATIENCE.toNanos());
  }

  /** Either may be seen alone: what a DataNode counted may be lost with it before anybody looks. */
  private boolean isSeen() {
    return recycled.taken() > 0 && recycled.reborn() > 0;
  }

  private static void awaitFirstBytes(AttackClients clients) {
    await("agents write").atMost(PATIENCE).until(() -> clients.said().bytes() > 0);
  }

  private void recoverOpenFiles() throws IOException {
    for (Path path : AttackClient.files(stock)) {
      if (!stock.isFileClosed(path)) {
        await("recovery of " + path).atMost(PATIENCE).until(() -> stock.recoverLease(path));
      }
    }
  }

  /**
   * Nothing is quarantined or held, {@code Q} and another {@code I} behind whatever was last, and
   * what is kept is a block's: else nobody would have its space back.
   */
  private void awaitAllSlots() {
    Duration bound = Duration.ofMillis(LEASE_MILLIS + 2 * IO_MILLIS).plusSeconds(30);
    for (int i = 0; i < dataNodes; i++) {
      java.nio.file.Path rdio = cluster.volume(i).mountPoint().resolve("data/rdio");
      await("slots of DataNode " + i)
          .atMost(bound)
          .untilAsserted(
              () -> {
                // In the order in which files go from one to the next.
                assertThat(RecycledFiles.keptAlone(rdio)).isEmpty();
                assertThat(Maps.files(rdio.resolve("slots/leased"))).isEmpty();
                assertThat(Maps.files(rdio.resolve("pins"))).isEmpty();
              });
      int dataNode = i;
      await("its metrics")
          .atMost(PATIENCE) // the /jmx page is some seconds old
          .until(() -> metric(dataNode, "SlotsQuarantined") + metric(dataNode, "SlotsLeased") == 0);
    }
  }

  private long metric(int dataNode, String name) throws IOException {
    return RecycledFiles.metric(cluster, dataNode, name);
  }

  /** By stock HDFS and by RDIO: all of what was closed, and nothing else of what was not. */
  private void checkFiles() throws IOException {
    Set<String> closed = new HashSet<>(said.closed().keySet());
    Counts counts = Counts.now();
    long before = counts.rdioBytes();
    try (RdioClient rdio = RdioClient.of(cluster)) {
      for (Path path : AttackClient.files(stock)) {
        String name = AttackClient.name(path);
        for (FileSystem fs : List.of(stock, rdio.fs())) {
          check(fs, path, name);
        }
        closed.remove(name);
      }
    }
    assertThat(closed).as("closed files that are not there").isEmpty();
    assertThat(counts.rdioBytes() - before).as("read by RDIO").isPositive();
  }

  private void check(FileSystem fs, Path path, String name) throws IOException {
    byte[] got;
    try (FSDataInputStream in = fs.open(path)) {
      got = in.readAllBytes();
    }
    assertThat(SoakBytes.firstWrong(AttackClient.seed(name), 0, got))
        .as("first wrong byte of %s by %s", name, fs)
        .isEqualTo(SoakBytes.ALL_RIGHT);
    assertThat(got.length)
        .as("length of %s by %s", name, fs)
        .isEqualTo(said.closed().getOrDefault(name, got.length));
  }
}
