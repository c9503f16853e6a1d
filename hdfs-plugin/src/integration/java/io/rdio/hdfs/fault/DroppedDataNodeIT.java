// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.ClusterBuilder;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.ReadOnce;
import io.rdio.hdfs.it.SeededFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Files go on being read when the NameNode has dropped their DataNodes and lists none for their
 * blocks: wherever on this host's devices such a block is, and what is not there any more by
 * nobody.
 */
@Tag("loop")
class DroppedDataNodeIT {
  private static final int BLOCK = 4 << 20;
  private static final int LENGTH = 3 * BLOCK + 12345;
  private static final int BLOCKS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Cluster cluster;
  private FileSystem stock;
  private SeededFile file;
  private SeededFile doomed;

  @BeforeEach
  void requireLoop() throws IOException {
    Requirements.requireLoop("ext4");
  }

  private static ClusterBuilder builder() throws IOException {
    return PastDataNodes.builder()
        .volumeBytes(400L << 20)
        .set("dfs.blocksize", Integer.toString(BLOCK))
        .set("dfs.replication", "1")
        // Twelve seconds without a heartbeat, and a DataNode is dropped.
        .set("dfs.namenode.heartbeat.recheck-interval", "1000");
  }

  private void start(ClusterBuilder builder) throws IOException {
    cluster = builder.start();
    TestClusters.warmUp(cluster);
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", LENGTH, 1);
    doomed = SeededFile.write(stock, "/doomed", LENGTH, 2);
  }

  @AfterEach
  void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void sync(int volume) throws Exception {
    Command.run("sync", "-f", cluster.volume(volume).mountPoint().toString());
  }

  private RdioClient client(ReadMode mode) throws IOException {
    return RdioClient.of(cluster, mode, PastDataNodes.keys(cluster, mode).toArray(new String[0]));
  }

  private static long mapsByDevice() {
    return RdioClientContext.counters().mapsByDevice.sum();
  }

  /** Kills it, and waits until the NameNode lists as many DataNodes for the file. */
  private void drop(int dataNode, int left) throws IOException {
    cluster.dataNode(dataNode).kill();
    Awaitility.await("the NameNode drops the DataNode")
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(Maps.blocks(stock, file.path()))
                    .hasSize(BLOCKS)
                    .allSatisfy(block -> assertThat(block.getLocations()).hasSize(left)));
  }

  private void readByStock() throws IOException {
    try (FSDataInputStream in = stock.open(file.path())) {
      in.readFully(new byte[LENGTH]);
    }
  }

  @Test
  void filesGoOnBeingReadAndDeletedOnesDoNot() throws Exception {
    start(builder());
    sync(0);
    try (RdioClient direct = client(ReadMode.DIRECT);
        RdioClient byAgent = client(ReadMode.BY_AGENT)) {
      for (RdioClient warm : List.of(direct, byAgent)) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> warm.readByRdio(file));
      }
      drop(0, 0);
      assertThatThrownBy(this::readByStock).isInstanceOf(IOException.class);
      direct.readByRdio(file);
      byAgent.readByRdio(file);
    }
    for (ReadMode mode : ReadMode.values()) {
      long before = mapsByDevice();
      try (RdioClient cold = client(mode)) {
        cold.readByRdio(file);
        assertThat(mapsByDevice() - before).as("one for each block").isEqualTo(BLOCKS);
      }
    }
    assertDeletedIsReadByNobody();
    assertFreshProcessReads();
    assertBackDataNodeIsAsked();
  }

  private void assertDeletedIsReadByNobody() throws Exception {
    LocatedBlock block = Maps.blocks(stock, doomed.path()).get(0);
    stock.delete(doomed.path(), false);
    for (ReadMode mode : ReadMode.values()) {
      try (RdioClient client = client(mode)) {
        assertThatThrownBy(() -> client.fs().open(doomed.path()))
            .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(() -> Maps.of(client.fs(), doomed.path(), block))
            .as("nor by its id")
            .isInstanceOf(FallbackException.class);
      }
    }
  }

  /** One that is too young to open devices, but for blocks without a DataNode that answers. */
  private void assertFreshProcessReads() throws Exception {
    ReadOnce.Result result = PastDataNodes.readByFreshProcess(cluster, file.path());
    assertThat(result.crc()).isEqualTo(ReadOnce.crcOf(file.bytes()));
    assertThat(result.rdioBytes()).isEqualTo(LENGTH);
    assertThat(result.fallbacks()).as("it asks stock HDFS for nothing").isEmpty();
  }

  private void assertBackDataNodeIsAsked() throws Exception {
    cluster.dataNode(0).start();
    Awaitility.await("maps are leases again")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              try (RdioClient later = client(ReadMode.DIRECT)) {
                later.readByRdio(file);
                assertThat(Maps.of(later.fs(), file.path(), 0).origin())
                    .isInstanceOf(GrantOrigin.class);
              }
            });
  }

  @Test
  void withBlockTokensTheAgentReadsAndNobodyElse() throws Exception {
    start(builder().set("dfs.block.access.token.enable", "true"));
    sync(0);
    try (RdioClient warm = client(ReadMode.BY_AGENT)) {
      Awaitility.await().atMost(PATIENCE).untilAsserted(() -> warm.readByRdio(file));
      long before = mapsByDevice();
      cluster.dataNode(0).kill();
      Awaitility.await("leases run out")
          .atMost(PATIENCE)
          .until(
              () -> {
                warm.readByRdio(file); // each time: no read may fall between
                return mapsByDevice() - before >= BLOCKS;
              });
      drop(0, 0);
      warm.readByRdio(file);
    }
    try (RdioClient cold = client(ReadMode.BY_AGENT);
        RdioClient direct = client(ReadMode.DIRECT)) {
      cold.readByRdio(file);
      Counts counts = Counts.now();
      assertThatThrownBy(() -> direct.read(file)).isInstanceOf(IOException.class);
      assertThat(counts.fallbacks()).containsKey(FallbackReason.TOKEN_REFUSED);
    }
  }

  @Test
  void replicaIsReadWhereItIsAndNotWhereItWasDeleted() throws Exception {
    start(builder().dataNodes(2));
    stock.setReplication(file.path(), (short) 2);
    Awaitility.await("copies are made")
        .atMost(PATIENCE)
        .until(
            () ->
                Maps.blocks(stock, file.path()).stream()
                    .allMatch(block -> block.getLocations().length == 2));
    sync(0);
    sync(1);
    drop(0, 1);
    long before = mapsByDevice();
    try (RdioClient client = client(ReadMode.DIRECT)) {
      Awaitility.await().atMost(PATIENCE).untilAsserted(() -> client.readByRdio(file));
      assertThat(mapsByDevice()).as("by the DataNode that is left").isEqualTo(before);
    }
    drop(1, 0);
    assertOtherReplicaIsReadWhereOneIsCorrupt();
    deleteReplicas(0);
    long then = mapsByDevice();
    try (RdioClient client = client(ReadMode.DIRECT)) {
      client.readByRdio(file);
      assertThat(mapsByDevice() - then).as("by the device that has it").isEqualTo(BLOCKS);
    }
    deleteReplicas(1);
    try (RdioClient client = client(ReadMode.DIRECT)) {
      long bytes = Counts.now().rdioBytes();
      assertThatThrownBy(() -> client.read(file)).isInstanceOf(IOException.class);
      assertThat(Counts.now().rdioBytes()).isEqualTo(bytes);
    }
  }

  /** Nobody knows which of the two is found first, so each is the corrupt one once. */
  private void assertOtherReplicaIsReadWhereOneIsCorrupt() throws Exception {
    long mismatches = RdioClientContext.counters().checksumMismatches.sum();
    for (int volume = 0; volume < 2; volume++) {
      FlippedByte flipped = flipped(volume);
      for (ReadMode mode : ReadMode.values()) {
        try (RdioClient client = client(mode)) {
          client.readByRdio(file);
        }
      }
      flipped.undo();
    }
    assertThat(RdioClientContext.counters().checksumMismatches.sum())
        .as("one of them was met")
        .isGreaterThan(mismatches);
    List<FlippedByte> both = List.of(flipped(0), flipped(1));
    try (RdioClient client = client(ReadMode.DIRECT)) {
      assertThatThrownBy(() -> client.read(file)).isInstanceOf(IOException.class);
    }
    for (FlippedByte one : both) {
      one.undo();
    }
  }

  private FlippedByte flipped(int volume) throws Exception {
    long id = Maps.blocks(stock, file.path()).get(1).getBlock().getBlockId();
    Path blockFile = FlippedByte.blockFile(cluster.volume(volume), id);
    return FlippedByte.of(cluster.volume(volume), Objects.requireNonNull(blockFile), 12345);
  }

  /** As the DataNode does whose replicas were moved or are too many. */
  private void deleteReplicas(int volume) throws Exception {
    for (LocatedBlock block : Maps.blocks(stock, file.path())) {
      String name = block.getBlock().getBlockName();
      for (Path path :
          Maps.blockFiles(cluster.volume(volume).mountPoint()).stream()
              .filter(path -> path.getFileName().toString().equals(name))
              .toList()) {
        Files.delete(path);
        Files.delete(
            path.resolveSibling(name + "_" + block.getBlock().getGenerationStamp() + ".meta"));
      }
    }
    sync(volume);
  }
}
