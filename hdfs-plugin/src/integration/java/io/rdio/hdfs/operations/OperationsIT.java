// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import io.rdio.hdfs.operations.ReaderAtWork.Seen;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an administrator does to a cluster that is read: docs/operations.md says what a reader sees.
 * Volumes that are added and taken away are in HotSwapIT.
 */
@Tag("loop")
final class OperationsIT {
  private static final int BLOCK = 1 << 20;
  static final int DATA_NODES = 3;
  private static final long VOLUME_BYTES = 320L << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** What a DataNode that is away, or hardly back, is a reason for. */
  private static final Set<FallbackReason> AWAY =
      EnumSet.of(
          FallbackReason.METADATA_PLANE_UNREACHABLE,
          FallbackReason.METADATA_PLANE_BACKOFF,
          FallbackReason.DATANODE_NOT_READY,
          FallbackReason.REPLICA_NOT_FOUND,
          FallbackReason.SESSION_UNKNOWN,
          FallbackReason.LEASE_EXPIRED);

  @TempDir static Path lists;
  private static Path excluded;
  private static Cluster cluster;
  private static DistributedFileSystem stock;
  private Configuration conf;
  private Closeable agent = () -> {};
  private FileSystem rdio;
  private int files;

  @BeforeAll
  static void startCluster() throws IOException {
    Requirements.requireLoop("xfs");
    Requirements.requireTool("xfs_growfs");
    excluded = Files.createFile(lists.resolve("excluded"));
    cluster =
        TestClusters.builder()
            .fileSystem("xfs")
            .dataNodes(DATA_NODES)
            .volumeBytes(VOLUME_BYTES)
            .set("dfs.replication", "2")
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.hosts.exclude", excluded.toString())
            .set("dfs.namenode.decommission.interval", "1s")
            .set("dfs.namenode.redundancy.interval.seconds", "1s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set("dfs.client.rdio.datanode.backoff", "500ms")
            .start();
    stock = (DistributedFileSystem) cluster.fileSystem(false);
    TestClusters.warmUp(cluster);
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (stock != null) {
      stock.close();
      cluster.close();
    }
  }

  private void startReaders(ReadMode mode) throws IOException {
    conf = cluster.clientConf(true);
    agent = mode == ReadMode.BY_AGENT ? JvmAgent.start(conf) : () -> {};
    rdio = FileSystem.newInstance(conf);
  }

  @AfterEach
  void stopReaders() throws IOException {
    if (rdio != null) {
      for (FileStatus file : stock.listStatus(new org.apache.hadoop.fs.Path("/"))) {
        stock.delete(file.getPath(), true);
      }
      rdio.close();
      RdioClientContext.get(conf).close();
      agent.close();
    }
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.it.ReadMode#alike")
  void dataNodesRestartedOneAfterTheOther(ReadMode mode) throws Exception {
    startReaders(mode);
    SeededFile file = SeededFile.write(stock, "/restarts-" + mode, 6 * BLOCK + 99, 1);
    List<SeededFile> unread = new ArrayList<>();
    for (int i = 0; i < DATA_NODES; i++) {
      unread.add(SeededFile.write(stock, "/unread-" + mode + i, 6 * BLOCK + 99, i));
    }
    Counts.awaitRead(mode, rdio, file, PATIENCE);
    Seen seen;
    try (ReaderAtWork reader = ReaderAtWork.start(mode, rdio, file)) {
      for (int i = 0; i < DATA_NODES; i++) {
        cluster.dataNode(i).stop();
        reader.readOnce(rdio, unread.get(i));
        cluster.dataNode(i).start();
        reader.awaitByRdio();
      }
      seen = reader.end();
    }
    assertHardlyDisturbed(seen);
    for (SeededFile each : unread) {
      Counts.awaitRead(mode, rdio, each, PATIENCE);
    }
  }

  /** Of HDFS itself, whose DataNodes keep deleted blocks in a trash until it is finalized. */
  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.it.ReadMode#alike")
  void rollingUpgrade(ReadMode mode) throws Exception {
    startReaders(mode);
    SeededFile file = SeededFile.write(stock, "/upgraded-" + mode, 6 * BLOCK + 99, 1);
    SeededFile deleted = SeededFile.write(stock, "/deleted-" + mode, BLOCK, 2);
    long block = Maps.blocks(stock, deleted.path()).get(0).getBlock().getBlockId();
    Counts.awaitRead(mode, rdio, file, PATIENCE);
    Counts.awaitRead(mode, rdio, deleted, PATIENCE);
    Seen seen;
    try (RollingUpgrade upgrade = RollingUpgrade.prepare(cluster, stock);
        ReaderAtWork reader = ReaderAtWork.start(mode, rdio, file)) {
      assertThat(upgrade.pinsOf(block)).isNotEmpty();
      stock.delete(deleted.path(), false);
      await("replicas in the trash")
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(upgrade.trashOf(block)).hasSize(2));
      await("their recall").atMost(PATIENCE).until(() -> upgrade.pinsOf(block).isEmpty());
      for (int i = 0; i < DATA_NODES; i++) {
        upgrade.restart(i, dataNode(i));
        reader.awaitByRdio();
      }
      assertThat(upgrade.trashOf(block)).hasSize(2);
      upgrade.finish();
      reader.awaitByRdio();
      seen = reader.end();
    }
    assertHardlyDisturbed(seen);
  }

  @ParameterizedTest
  @MethodSource("io.rdio.hdfs.it.ReadMode#alike")
  void dataNodeDecommissioned(ReadMode mode) throws Exception {
    startReaders(mode);
    SeededFile file = SeededFile.write(stock, "/decommissioned-" + mode, 6 * BLOCK + 99, 2);
    Counts.awaitRead(mode, rdio, file, PATIENCE);
    DatanodeInfo leaving = dataNode(0);
    Seen seen;
    try (ReaderAtWork reader = ReaderAtWork.start(mode, rdio, file)) {
      exclude(leaving.getXferAddr());
      await().atMost(PATIENCE).until(() -> dataNode(0).isDecommissioned());
      for (LocatedBlock block : Maps.blocks(stock, file.path())) {
        assertThat(Stream.of(block.getLocations()).filter(DatanodeInfo::isInService)).hasSize(2);
      }
      cluster.dataNode(0).stop();
      reader.awaitByRdio();
      seen = reader.end();
    } finally {
      exclude("");
      cluster.dataNode(0).start();
    }
    assertHardlyDisturbed(seen);
  }

  private static DatanodeInfo dataNode(int i) throws IOException {
    String port = cluster.dataNode(i).httpAddress().replaceFirst(".*:", "");
    return Stream.of(stock.getDataNodeStats(DatanodeReportType.ALL))
        .filter(node -> Integer.toString(node.getInfoPort()).equals(port))
        .findFirst()
        .orElseThrow();
  }

  private static void exclude(String address) throws Exception {
    Files.writeString(excluded, address + "\n");
    assertThat(new DFSAdmin(cluster.clientConf(false)).run(new String[] {"-refreshNodes"}))
        .isZero();
  }

  @Test
  void volumeGrown() throws Exception {
    startReaders(ReadMode.DIRECT);
    LoopVolume volume = cluster.volume(1);
    SeededFile before = writeTo(volume, 0);
    Counts.awaitReadByRdio(rdio, before, PATIENCE);
    Seen seen;
    SeededFile behind;
    try (ReaderAtWork reader = ReaderAtWork.start(ReadMode.DIRECT, rdio, before)) {
      new FreeSpace(volume.mountPoint()).fill();
      volume.grow(2 * VOLUME_BYTES);
      behind = writeTo(volume, VOLUME_BYTES);
      reader.awaitByRdio();
      seen = reader.end();
    } finally {
      new FreeSpace(volume.mountPoint()).empty();
    }
    assertThat(seen.reasons()).isEmpty();
    Counts.awaitReadByRdio(rdio, behind, PATIENCE);
    readByANewClient(before);
  }

  /** It has no device open, and looks for the one that has the size that it is told. */
  @SuppressWarnings("try") // the context is only to be closed
  private static void readByANewClient(SeededFile file) throws IOException {
    Configuration other = cluster.clientConf(true);
    other.set("dfs.client.rdio.lease.margin", "1001ms");
    try (FileSystem fs = FileSystem.newInstance(other);
        RdioClientContext closed = RdioClientContext.get(other)) {
      Counts.awaitReadByRdio(fs, file, PATIENCE);
    }
  }

  /** A file of one block with one replica, which is on this volume; the NameNode places it. */
  private SeededFile writeTo(LoopVolume volume, long from) {
    AtomicReference<SeededFile> written = new AtomicReference<>();
    await("a block on " + volume.device() + " from " + from)
        .atMost(PATIENCE)
        .until(
            () -> {
              written.set(writeOne());
              long block = Maps.blocks(stock, written.get().path()).get(0).getBlock().getBlockId();
              return Maps.blockFiles(volume.mountPoint()).stream()
                      .anyMatch(path -> path.endsWith("blk_" + block))
                  && Maps.of(rdio, written.get().path(), 0).blockExtents().physical(0) >= from;
            });
    return written.get();
  }

  private SeededFile writeOne() throws IOException {
    int number = ++files;
    SeededFile file =
        new SeededFile(
            new org.apache.hadoop.fs.Path("/one-" + number), SeededFile.random(BLOCK, number));
    try (FSDataOutputStream out = stock.create(file.path(), (short) 1)) {
      out.write(file.bytes());
    }
    return file;
  }

  /** RDIO read most, and where it did not, a DataNode was away. */
  private static void assertHardlyDisturbed(Seen seen) {
    assertThat(seen.byRdio()).as(seen.toString()).isGreaterThan(0.5);
    assertThat(seen.reasons().keySet()).isSubsetOf(AWAY);
  }
}
