// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One flipped byte on the device, in a block or in its meta file: the reader by RDIO, in both
 * modes, gets what a stock reader gets of a twin, and the NameNode hears the same of both.
 */
@Tag("loop")
class CorruptReplicaIT {
  private static final int LENGTH = 300_000;
  private static final int FLIPPED_AT = 123_456;
  private static final int META_HEADER = 7;
  private static final Duration REPORT_TIME_MAX = Duration.ofSeconds(60);
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .dataNodes(2)
            .volumeBytes(256L << 20)
            // A block of the usual size is half a volume: what a test left behind leaves no room.
            .set("dfs.blocksize", "1m")
            // A stock client waits that long before it tries a block's only replica again.
            .set("dfs.client.retry.window.base", "1")
            // Else the scanner may find the flip before the reader does.
            .set("dfs.block.scanner.volume.bytes.per.second", "0")
            .start();
    stock = cluster.fileSystem(false);
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  /** A way of reading a whole file. */
  enum Manner {
    SEQUENTIAL {
      @Override
      byte[] read(FSDataInputStream in) throws IOException {
        return in.readNBytes(LENGTH);
      }
    },
    POSITIONAL {
      @Override
      byte[] read(FSDataInputStream in) throws IOException {
        byte[] got = new byte[LENGTH];
        in.readFully(0, got);
        return got;
      }
    },
    BUFFER {
      @Override
      byte[] read(FSDataInputStream in) throws IOException {
        ByteBuffer got = ByteBuffer.allocateDirect(LENGTH);
        while (got.hasRemaining() && in.read(got) >= 0) {}
        byte[] bytes = new byte[got.flip().remaining()];
        got.get(bytes);
        return bytes;
      }
    };

    abstract byte[] read(FSDataInputStream in) throws IOException;
  }

  /** What a reader got: the right bytes, or the class of an exception. */
  private static String read(FileSystem fs, SeededFile file, Manner manner) throws IOException {
    try (FSDataInputStream in = fs.open(file.path())) {
      byte[] got = manner.read(in);
      assertThat(got).hasSize(LENGTH);
      file.check(0, got);
      return "right bytes";
    } catch (IOException e) {
      return e.getClass().getName();
    }
  }

  /**
   * Modes, numbers of replicas and files, each with each, with one manner after the other: so each
   * two of the four meet. With {@code -Drdio.test.all=true} each manner with all.
   */
  static List<Arguments> cases() {
    List<Manner> manners = List.of(Manner.values());
    List<Arguments> cases = new ArrayList<>();
    int next = 0;
    for (ReadMode mode : ReadMode.values()) {
      for (int replication : new int[] {1, 2}) {
        for (String where : List.of("data", "meta")) {
          for (Manner manner : ALL ? manners : List.of(manners.get(next++ % manners.size()))) {
            cases.add(Arguments.of(mode, (short) replication, where, manner));
          }
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void flippedByte(ReadMode mode, short replication, String where, Manner manner) throws Exception {
    String name = "/" + mode + replication + where + manner;
    SeededFile twin = write(name + "-stock", replication);
    SeededFile file = write(name + "-rdio", replication);
    Damage twinDamage = damage(twin, where);
    Damage damage = damage(file, where);
    Counts counts = Counts.of(mode);
    long mismatches = mismatches();

    Set<String> byStock = new HashSet<>();
    await()
        .atMost(REPORT_TIME_MAX)
        .until(
            () -> {
              byStock.add(read(stock, twin, manner));
              return isReported(twin, twinDamage, replication);
            });
    assertThat(readUntilReported(mode, file, damage, replication, manner)).isEqualTo(byStock);
    if (replication == 1) {
      assertThat(counts.fallbacks()).containsKey(FallbackReason.REPLICA_QUARANTINED);
    }
    assertThat(mismatches()).isGreaterThan(mismatches);
    try (RdioClient client = RdioClient.of(cluster, mode)) {
      assertThat(read(client.fs(), file, manner)).isEqualTo(read(stock, twin, manner));
    }
    assertThat(isReported(file, damage, replication)).isTrue();
    assertThat(isReported(twin, twinDamage, replication)).isTrue();
  }

  /** However often it reads: one that goes by one replica only stays with that. */
  @Test
  void whoReadsByAllReplicasComesToTheDamagedOne() throws Exception {
    try (RdioClient client =
        RdioClient.of(cluster, RdioConfigKeys.CLIENT_ROUTING.name(), "adaptive")) {
      readUntilReported(client, ofWhichTheMapIsOfTheSecondReplica(client));
    }
  }

  /** Which one of each an agent would stay with nobody knows; of three, hardly ever the damaged. */
  @Test
  void agentThatReadsByAllReplicasComesToTheDamagedOnes() throws Exception {
    try (RdioClient client =
        RdioClient.of(
            cluster, ReadMode.BY_AGENT, RdioConfigKeys.CLIENT_ROUTING.name(), "adaptive")) {
      for (int i = 0; i < 3; i++) {
        readUntilReported(client, write("/by-agent" + i, (short) 2));
      }
    }
  }

  private static void readUntilReported(RdioClient client, SeededFile file) throws Exception {
    Damage damage = damage(file, "data");
    await()
        .atMost(REPORT_TIME_MAX)
        .until(
            () -> {
              assertThat(read(client.fs(), file, Manner.SEQUENTIAL)).isEqualTo("right bytes");
              return isReported(file, damage, 2);
            });
  }

  private static SeededFile ofWhichTheMapIsOfTheSecondReplica(RdioClient client) throws Exception {
    for (int i = 0; ; i++) {
      SeededFile file = write("/all-replicas" + i, (short) 2);
      read(client.fs(), file, Manner.SEQUENTIAL);
      FileMap map = Maps.of(client.fs(), file.path(), 0);
      if (!Maps.deviceOf(client.fs(), map).name().equals(replicas(file).get(0).device())) {
        return file;
      }
    }
  }

  /** What readers by RDIO got until the NameNode heard of the replica as of the twin's. */
  private static Set<String> readUntilReported(
      ReadMode mode, SeededFile file, Damage damage, short replication, Manner manner) {
    Set<String> got = new HashSet<>();
    await("the NameNode hears of the replica as of the twin's")
        .atMost(REPORT_TIME_MAX)
        .until(
            () -> {
              // A new one each time, for one that has the good replica's map stays with it.
              try (RdioClient client = RdioClient.of(cluster, mode)) {
                long before = mismatches();
                got.add(read(client.fs(), file, manner));
                if (mode == ReadMode.BY_AGENT && mismatches() > before) {
                  // An agent has it looked at while it goes on serving, and for as long as it runs.
                  await().until(() -> isReported(file, damage, replication));
                }
              }
              return isReported(file, damage, replication);
            });
    return got;
  }

  private static long mismatches() {
    return RdioClientContext.counters().checksumMismatches.sum();
  }

  private static SeededFile write(String path, short replication) throws IOException {
    byte[] bytes = SeededFile.random(LENGTH, path.hashCode());
    SeededFile file = new SeededFile(new org.apache.hadoop.fs.Path(path), bytes);
    try (FSDataOutputStream out =
        stock.create(
            file.path(), true, 4096, replication, stock.getDefaultBlockSize(file.path()))) {
      out.write(bytes);
    }
    await()
        .atMost(REPORT_TIME_MAX)
        .until(
            () ->
                located(file).getLocations().length == replication
                    && replicas(file).size() == replication);
    return file;
  }

  private static LocatedBlock located(SeededFile file) throws IOException {
    return Maps.blocks(stock, file.path()).get(0);
  }

  /** Volumes that have the file's only block. */
  private static List<LoopVolume> replicas(SeededFile file) throws IOException {
    List<LoopVolume> found = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      if (!filesOf(file, cluster.volume(i)).isEmpty()) {
        found.add(cluster.volume(i));
      }
    }
    return found;
  }

  private static List<Path> filesOf(SeededFile file, LoopVolume volume) throws IOException {
    String name = "blk_" + located(file).getBlock().getBlockId();
    try (Stream<Path> files = Files.walk(volume.mountPoint().resolve("data/current"))) {
      return files
          .filter(path -> path.getFileName().toString().matches(name + "(_[0-9]+\\.meta)?"))
          .sorted()
          .toList();
    }
  }

  /** The DataNode whose replica is damaged, by its transfer port; the others have good ones. */
  private record Damage(int transferPort, Set<Integer> others) {}

  private static Damage damage(SeededFile file, String where) throws Exception {
    LoopVolume volume = replicas(file).get(0);
    Path damaged = filesOf(file, volume).get(where.equals("data") ? 0 : 1);
    int at = where.equals("data") ? FLIPPED_AT : META_HEADER + 4 * (FLIPPED_AT / 512);
    FlippedByte.of(volume, damaged, at); // and never back
    Set<Integer> others = new HashSet<>();
    int port = 0;
    for (DatanodeInfo node : located(file).getLocations()) {
      if (isOn(node, volume)) {
        port = node.getXferPort();
      } else {
        others.add(node.getXferPort());
      }
    }
    assertThat(port).isPositive();
    return new Damage(port, others);
  }

  private static boolean isOn(DatanodeInfo node, LoopVolume volume) throws IOException {
    for (int i = 0; i < 2; i++) {
      if (cluster.dataNode(i).httpAddress().endsWith(":" + node.getInfoPort())) {
        return cluster.volume(i) == volume;
      }
    }
    return false;
  }

  /** Whether the NameNode knows of the damage; fails if it takes a good replica for damaged. */
  private static boolean isReported(SeededFile file, Damage damage, int replication)
      throws IOException {
    LocatedBlock block = located(file);
    Set<Integer> listed = new HashSet<>();
    Arrays.stream(block.getLocations()).forEach(node -> listed.add(node.getXferPort()));
    assertThat(listed).as("good replicas").containsAll(damage.others());
    return replication == 1 ? block.isCorrupt() : !listed.contains(damage.transferPort());
  }
}
