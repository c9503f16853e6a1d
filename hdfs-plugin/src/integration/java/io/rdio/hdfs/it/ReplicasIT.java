// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Blocks with a replica on each of three devices, and clients that read by all of them. */
@Tag("loop")
class ReplicasIT {
  private static final int REPLICAS = 3;
  private static final int BLOCK = 8 << 20;
  private static final int BLOCKS = 4;
  private static final int PASSES = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;

  @BeforeAll
  static void start() throws Exception {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .fileSystem("ext4")
            .dataNodes(REPLICAS)
            .volumeBytes(200L << 20)
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.block.scanner.volume.bytes.per.second", "0")
            .start();
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/three", (BLOCKS - 1) * BLOCK + 1000, 1);
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Maps.blocks(stock, file.path()).stream()
                    .allMatch(block -> block.getLocations().length == REPLICAS));
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  @AfterEach
  void heal() {
    RdioClientFaultInjector.reset();
  }

  private static RdioClient client(ReadMode mode) throws IOException {
    return RdioClient.of(cluster, mode, RdioConfigKeys.CLIENT_ROUTING.name(), "adaptive");
  }

  /** Bytes that each device has read for anybody. */
  private static List<Long> readBytes() throws IOException {
    List<Long> bytes = new ArrayList<>();
    for (int i = 0; i < REPLICAS; i++) {
      String name = Path.of(cluster.volume(i).device()).getFileName().toString();
      String stat = Files.readString(Path.of("/sys/block", name, "stat")).trim();
      bytes.add(Long.parseLong(stat.split("\\s+", -1)[2]) * 512);
    }
    return bytes;
  }

  /** Whether each of them has read as much since. */
  private static boolean allHaveRead(List<Long> before, long bytes) throws IOException {
    List<Long> now = readBytes();
    return IntStream.range(0, REPLICAS).allMatch(i -> now.get(i) - before.get(i) >= bytes);
  }

  @ParameterizedTest
  @EnumSource
  void aRunIsReadFromAllDevices(ReadMode mode) throws Exception {
    List<Long> before = readBytes();
    try (RdioClient client = client(mode)) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                client.read(file);
                return allHaveRead(before, BLOCK / 2);
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void readsByPositionSeeEachReplica(ReadMode mode) throws Exception {
    List<Long> before = readBytes();
    Random random = new Random(2);
    byte[] got = new byte[20_000];
    try (RdioClient client = client(mode);
        FSDataInputStream in = client.fs().open(file.path())) {
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                for (int i = 0; i < 100; i++) {
                  int at = random.nextInt(file.bytes().length - got.length);
                  in.readFully(at, got);
                  file.check(at, got);
                }
                return allHaveRead(before, 1 << 20);
              });
    }
  }

  /** Reads of chosen devices fail, and are counted. */
  private static final class Failing extends RdioClientFaultInjector {
    final Map<String, AtomicInteger> failing = new ConcurrentHashMap<>();

    @Override
    public void beforeDeviceRead(BlockDevice device, long offset, int length)
        throws FallbackException {
      AtomicInteger reads = failing.get(device.name());
      if (reads != null) {
        reads.incrementAndGet();
        throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "thrown by the test");
      }
    }
  }

  /** While one replica can be read, nobody else is needed. */
  @ParameterizedTest
  @EnumSource
  void devicesThatFailAreLeftAtOnce(ReadMode mode) throws Exception {
    Failing faults = new Failing();
    RdioClientFaultInjector.set(faults);
    try (RdioClient client = client(mode)) {
      List<Long> bytes = readBytes();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                client.read(file);
                return allHaveRead(bytes, 1 << 20);
              });
      for (int i = 0; i < REPLICAS - 1; i++) {
        AtomicInteger failed = new AtomicInteger();
        Counts counts = Counts.of(mode);
        faults.failing.put(cluster.volume(i).device(), failed);
        await()
            .atMost(PATIENCE)
            .until(
                () -> {
                  client.read(file);
                  return failed.get() > 0;
                });
        for (int pass = 0; pass < PASSES; pass++) {
          client.read(file);
        }
        assertThat(counts.fallbacks()).doesNotContainKey(FallbackReason.DEVICE_IO_ERROR);
        // Of each block one, or a few; a device that is not left has some of each in every pass.
        assertThat(failed.get()).as("failed reads").isLessThan(PASSES * BLOCKS / 2);
      }
    }
  }

  /** Its device is there all the same, and the others' DataNodes are. */
  @ParameterizedTest
  @EnumSource
  void aDataNodeThatDiesCostsNoRead(ReadMode mode) throws Exception {
    try (RdioClient client = client(mode)) {
      List<Long> before = readBytes();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                client.read(file);
                return allHaveRead(before, 1 << 20);
              });
      cluster.dataNode(1).kill();
      try {
        for (int i = 0; i < 10; i++) {
          client.read(file); // which compares each byte
        }
      } finally {
        cluster.dataNode(1).start();
        cluster.dataNode(1).awaitReady();
      }
    }
  }
}
