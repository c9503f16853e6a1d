// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static io.rdio.core.FallbackReason.LEASE_LIMIT;
import static io.rdio.core.FallbackReason.PIN_FAILED;
import static io.rdio.core.FallbackReason.PIN_LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.cluster.CleanSlate;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.FreeSpace;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A DataNode at one of its caps, and a volume without a free byte: reads are right, the reason is
 * counted, HDFS goes on writing, and RDIO is back once there is room.
 */
@Tag("loop")
@ParameterizedClass(name = "{0}")
@MethodSource("io.rdio.hdfs.cluster.TestClusters#fileSystems")
class PinLimitsIT {
  private static final int BLOCK = 64 << 10;
  private static final int PINS_MAX = 100;

  /** Of one address, which all clients here have; two leases on one block take one pin. */
  private static final int LEASES_MAX = 150;

  private static final int MANY = PINS_MAX - 10;
  private static final int NAMES_MAX = 5000;
  private static final int DELETED_BLOCKS_MAX = 40;
  private static final long CAP_OF_DELETED = (long) DELETED_BLOCKS_MAX * BLOCK;
  private static final Duration RECOVERY_TIME_MAX = Duration.ofSeconds(60);

  @Parameter String fsType;

  private static Cluster cluster;
  private static CleanSlate slate;
  private static FileSystem stock;

  @BeforeParameterizedClassInvocation
  static void start(String fsType) throws IOException {
    Requirements.requireLoop(fsType);
    cluster =
        TestClusters.builder()
            .fileSystem(fsType)
            .volumeBytes(330L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .set("dfs.datanode.rdio.lease.duration", "6s")
            .set("dfs.datanode.rdio.io.time.max", "1s")
            .set("dfs.datanode.rdio.recall.check.interval", "200ms")
            .set("dfs.datanode.rdio.pins.max", Integer.toString(PINS_MAX))
            .set("dfs.datanode.rdio.leases.per.address.max", Integer.toString(LEASES_MAX))
            .set("dfs.datanode.rdio.pinned.deleted.bytes.max", Long.toString(CAP_OF_DELETED))
            .set("dfs.client.rdio.lease.margin", "500ms")
            .set("dfs.client.rdio.datanode.backoff", "1s")
            .start();
    slate = CleanSlate.of(cluster, 1);
    TestClusters.warmUp(cluster); // for whichever test is the first
    slate.restore();
    stock = cluster.fileSystem(false);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  /** A test that measures free space would else measure how much of the last one's is free yet. */
  @AfterEach
  void leaveNothing() throws IOException {
    slate.restore();
  }

  private static Path mount() {
    return cluster.volume(0).mountPoint();
  }

  private static SeededFile write(String path, int blocks) throws IOException {
    return SeededFile.write(stock, path, blocks * BLOCK, path.hashCode());
  }

  @Test
  void clientsOfOneAddressAtItsCapOfLeases() throws Exception {
    SeededFile file = write("/leases", MANY);
    SeededFile small = write("/small", 2);
    try (RdioClient client = RdioClient.of(cluster);
        RdioClient other = RdioClient.of(cluster, "dfs.client.rdio.read.window", "512k")) {
      client.readByRdio(file);
      RdioClient.Reading reading = other.read(file);
      assertThat(reading.fallbacks()).containsOnlyKeys(LEASE_LIMIT);
      assertThat(reading.rdioBytes()).isGreaterThanOrEqualTo((LEASES_MAX - MANY - 10L) * BLOCK);
      assertThat(client.readByStock(small)).containsOnlyKeys(LEASE_LIMIT);
      await("leases that are no longer used run out")
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(
              () -> {
                client.readByRdio(small);
                other.readByRdio(small);
              });
    }
  }

  @Test
  void volumeAtItsCapOfPins() throws Exception {
    SeededFile first = write("/first", MANY);
    SeededFile second = write("/second", LEASES_MAX - MANY - 10);
    try (RdioClient client = RdioClient.of(cluster);
        RdioClient other = RdioClient.of(cluster, "dfs.client.rdio.read.window", "512k")) {
      client.readByRdio(first);
      RdioClient.Reading reading = other.read(second);
      assertThat(reading.fallbacks()).containsOnlyKeys(PIN_LIMIT);
      assertThat(reading.rdioBytes()).isPositive();
      assertThat(Maps.pins(cluster)).isLessThanOrEqualTo(PINS_MAX);
      await("the least recently granted pins make room")
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(() -> other.readByRdio(second));
    }
  }

  @Test
  void volumeAtItsCapOfDeletedBytes() throws Exception {
    SeededFile doomed = write("/doomed", DELETED_BLOCKS_MAX);
    SeededFile file = write("/kept", 3);
    try (DeafClient deaf = DeafClient.of(cluster);
        RdioClient client = RdioClient.of(cluster)) {
      long free = space().settledBytes();
      assertThat(deaf.lease(doomed)).isEqualTo(DELETED_BLOCKS_MAX);
      stock.delete(doomed.path(), false);
      await()
          .atMost(RECOVERY_TIME_MAX)
          .until(() -> deaf.renew() == 0 && deaf.pinnedDeletedBytes() >= CAP_OF_DELETED);
      assertThat(client.readByStock(file)).containsOnlyKeys(PIN_LIMIT);
      assertThat(Maps.blockFiles(mount())).hasSize(3);
      assertThat(space().bytes()).as("pins hold the deleted blocks").isLessThan(free + BLOCK);
      SeededFile more = write("/more", 20);
      try (FSDataInputStream in = stock.open(more.path())) {
        more.check(0, in.readAllBytes());
      }
      await("the deaf client's leases run out")
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(() -> client.readByRdio(file));
      await("their space comes back")
          .atMost(RECOVERY_TIME_MAX)
          .untilAsserted(
              () ->
                  assertThat(space().settledBytes())
                      .isGreaterThan(free + (DELETED_BLOCKS_MAX - 20 - 10L) * BLOCK));
    }
  }

  @Test
  void volumeWithoutAFreeByte() throws Exception {
    SeededFile file = write("/full", MANY);
    cluster.dropPageCaches(); // all of it has its place: a full volume can still write it back
    try (RdioClient client = RdioClient.of(cluster)) {
      space().fill();
      assertThat(space().bytes()).isLessThan(BLOCK);
      List<Path> names = fillPinDirectory();
      RdioClient.Reading reading;
      try {
        reading = client.read(file);
      } finally {
        for (Path name : names) {
          Files.delete(name);
        }
        space().empty();
      }
      assertThat(reading.fallbacks().keySet()).isSubsetOf(PIN_FAILED);
      if (fsType.equals("ext4")) {
        assertThat(reading.fallbacks()).as("no room for names of pins").containsKey(PIN_FAILED);
      }
      assertThat(Maps.blockFiles(mount())).hasSize(MANY);
      await().atMost(RECOVERY_TIME_MAX).untilAsserted(() -> client.readByRdio(file));
      client.readByRdio(write("/more", 5));
    }
  }

  /** On a full volume: the directory never gets smaller, and may have grown before. */
  private static List<Path> fillPinDirectory() throws IOException {
    List<Path> names = new ArrayList<>();
    try (DirectoryStream<Path> directories =
        Files.newDirectoryStream(mount().resolve("data/rdio/pins"))) {
      Path directory = directories.iterator().next();
      while (names.size() < NAMES_MAX) {
        names.add(Files.createFile(directory.resolve("x" + names.size())));
      }
    } catch (FileSystemException full) {
      // xfs may have no room even for the first one.
    }
    return names;
  }

  private static FreeSpace space() {
    return new FreeSpace(mount());
  }
}
