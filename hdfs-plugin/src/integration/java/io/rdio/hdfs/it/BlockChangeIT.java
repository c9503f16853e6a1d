// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.cluster.Shape.PLAIN_XFS;
import static io.rdio.hdfs.cluster.Shape.UNRECALLED_EXT4;
import static io.rdio.hdfs.cluster.Shape.UNRECALLED_XFS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.client.plane.FileMap;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Blocks that are deleted, appended to and truncated while a reader holds their map: it gets the
 * old bytes, or what stock HDFS gives, and never bytes of another file. In both modes, and with
 * CRCs and without, where only the lease and its re-check stand between it and other files.
 */
@Tag("loop")
@Shares({PLAIN_EXT4, PLAIN_XFS, UNRECALLED_EXT4, UNRECALLED_XFS})
@ParameterizedClass(name = "{0} {1} {2}")
@MethodSource("io.rdio.hdfs.it.ReadMode#onFileSystemsByCrcs")
class BlockChangeIT {
  private static final int BLOCK = 4 << 20;

  @Parameter(0)
  String fsType;

  @Parameter(1)
  ReadMode mode;

  @Parameter(2)
  Crcs crcs;

  private SharedClusters clusters;
  private Shape shape;
  private Cluster cluster;
  private FreeSpace space;
  private FileSystem stock;
  private RdioClient client;
  private FileSystem rdio;

  @BeforeEach
  void share(SharedClusters shared) {
    clusters = shared;
  }

  private void start(Shape wanted, String... keys) throws IOException {
    cluster = clusters.of(wanted);
    shape = wanted;
    space = new FreeSpace(cluster);
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
    List<String> all = new ArrayList<>(List.of(keys));
    all.addAll(List.of("dfs.blocksize", Integer.toString(BLOCK)));
    all.addAll(List.of("dfs.client.retry.window.base", "10")); // many reads are of blocks gone
    client = RdioClient.of(cluster, mode, all.toArray(String[]::new));
    rdio = client.fs();
    rdio.setVerifyChecksum(crcs == Crcs.CHECKED);
  }

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
      stock.close();
      clusters.clean(shape);
    }
  }

  @Test
  void deletedBlockStaysPinnedWhileTheVolumeIsFilled() throws Exception {
    start(Shape.unrecalled(fsType)); // only the pin protects
    SeededFile file = SeededFile.write(stock, "/doomed", 3 * BLOCK, 1);
    Counts counts = Counts.of(mode);
    try (FSDataInputStream in = rdio.open(file.path())) {
      readSomewhere(in, file, new Random(1), 20);
      FileMap map = Maps.of(rdio, file.path(), 0);
      if (mode == ReadMode.BY_AGENT) {
        RdioClientContext.get(rdio.getConf()).close(); // only the agent's lease pins the block now
      }
      deleteFromDataNode(file);
      space.fill();
      byte[] raw = ExtentBytes.read(Maps.deviceOf(rdio, map), map.blockExtents(), BLOCK);
      assertThat(Arrays.equals(raw, file.range(0, BLOCK))).as("extents are as they were").isTrue();
      readSomewhere(in, file, new Random(2), 200);
      in.seek(0);
      file.check(0, in.readNBytes(file.bytes().length));
    }
    counts.assertNoFallback();
  }

  @Test
  void deletedBlockIsRecalledAndItsSpaceComesBack() throws Exception {
    start(Shape.plain(fsType));
    SeededFile file = SeededFile.write(stock, "/doomed", 10 * BLOCK, 3);
    long free;
    try (FSDataInputStream in = rdio.open(file.path())) {
      file.check(0, in.readNBytes(file.bytes().length));
      free = space.bytes();
      deleteFromDataNode(file);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> space.bytes() - free >= 9L * BLOCK && Maps.pins(cluster) == 0);
      space.fill();
      Random random = new Random(4);
      for (int i = 0; i < 50; i++) {
        readOrFailLikeStock(in, file, random);
      }
    }
  }

  /** As a DataNode goes on with what it has begun to send. */
  @Test
  void aBlockThatIsDeletedWhileItIsReadIsReadToItsEnd() throws Exception {
    // With little read ahead most of the block is still to be read.
    start(Shape.plain(fsType), "dfs.client.rdio.read.ahead", "64k");
    SeededFile file = SeededFile.write(stock, "/doomed", BLOCK, 3);
    Counts counts = Counts.of(mode);
    try (FSDataInputStream in = rdio.open(file.path())) {
      long recalls = RdioClientContext.counters().recalls.sum();
      byte[] piece = new byte[BLOCK / 256];
      in.readFully(piece);
      stock.delete(file.path(), false);
      // A slow reader, not an idle one: whose lease would be returned.
      await()
          .atMost(Duration.ofSeconds(25))
          .pollInterval(Duration.ofMillis(100))
          .until(
              () -> {
                long at = in.getPos();
                file.check(at, in.readNBytes(piece.length));
                return RdioClientContext.counters().recalls.sum() > recalls;
              });
      assertThat(in.getPos()).as("read when the recall came").isLessThan(BLOCK);
      long rest = in.getPos();
      file.check(rest, in.readAllBytes());
    }
    counts.assertNoFallback();
    await().atMost(Duration.ofSeconds(30)).until(() -> Maps.pins(cluster) == 0);
  }

  /** Each of its reads begins anew, which a recalled lease does not admit. */
  @Test
  void spaceOfADeletedBlockComesBackWhileSomebodyReadsByPosition() throws Exception {
    start(Shape.plain(fsType));
    SeededFile file = SeededFile.write(stock, "/doomed", BLOCK, 12);
    Random random = new Random(13);
    try (FSDataInputStream in = rdio.open(file.path())) {
      readSomewhere(in, file, random, 20);
      stock.delete(file.path(), false);
      await() // for less than a lease
          .atMost(Duration.ofSeconds(25))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () -> {
                readOrFailLikeStock(in, file, random);
                return Maps.blockFiles(cluster.volume(0).mountPoint()).isEmpty()
                    && Maps.pins(cluster) == 0;
              });
    }
  }

  @Test
  void appendedBlock() throws Exception {
    start(Shape.plain(fsType));
    SeededFile file = SeededFile.write(stock, "/growing", BLOCK + 1000, 5);
    byte[] more = SeededFile.random(BLOCK, 6);
    Counts counts = Counts.of(mode);
    try (FSDataInputStream in = rdio.open(file.path())) {
      readSomewhere(in, file, new Random(7), 20);
      try (FSDataOutputStream out = stock.append(file.path())) {
        out.write(more);
      }
      space.fill();
      readSomewhere(in, file, new Random(8), 100);
    }
    space.empty(); // on a full one there is no room for the names of new pins
    byte[] all = Arrays.copyOf(file.bytes(), file.bytes().length + more.length);
    System.arraycopy(more, 0, all, file.bytes().length, more.length);
    SeededFile grown = new SeededFile(file.path(), all);
    long before = counts.rdioBytes();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              long start = counts.rdioBytes();
              try (FSDataInputStream in = rdio.open(file.path())) {
                grown.check(0, in.readAllBytes());
              }
              assertThat(counts.rdioBytes() - start)
                  .as("bytes by RDIO; fallbacks: " + counts.fallbacks())
                  .isEqualTo(all.length);
            });
    assertThat(counts.rdioBytes()).isGreaterThan(before);
  }

  @Test
  void truncatedBlock() throws Exception {
    start(Shape.plain(fsType));
    int cutTo = BLOCK / 2 + 77;
    SeededFile file = SeededFile.write(stock, "/shrinking", BLOCK, 9);
    try (FSDataInputStream in = rdio.open(file.path())) {
      readSomewhere(in, file, new Random(10), 20);
      stock.truncate(file.path(), cutTo);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> stock.getFileStatus(file.path()).getLen() == cutTo && isClosed(file));
      space.fill();
      Random random = new Random(11);
      for (int i = 0; i < 100; i++) {
        readOrFailLikeStock(in, file, random);
      }
    }
    try (FSDataInputStream in = rdio.open(file.path())) {
      byte[] got = in.readAllBytes();
      assertThat(got).hasSize(cutTo);
      file.check(0, got);
    }
  }

  /** Else the other tests would not be what they say. */
  @Test
  void aWrongCrcIsFoundByWhoLooksForItOnly() throws Exception {
    start(Shape.plain(fsType));
    SeededFile file = SeededFile.write(stock, "/wrong-crc", BLOCK, 14);
    flipFirstCrc();
    Counts counts = Counts.of(mode);
    long mismatches = RdioClientContext.counters().checksumMismatches.sum();
    byte[] got = new byte[BLOCK];
    try (FSDataInputStream in = rdio.open(file.path())) {
      if (crcs == Crcs.CHECKED) {
        assertThatThrownBy(() -> in.readFully(0, got)).isInstanceOf(IOException.class);
        assertThat(RdioClientContext.counters().checksumMismatches.sum()).isGreaterThan(mismatches);
        return;
      }
      long before = counts.rdioBytes();
      in.readFully(0, got);
      file.check(0, got);
      assertThat(counts.rdioBytes() - before).isEqualTo(BLOCK);
    }
    counts.assertNoFallback();
  }

  /** Of the only block, in its meta file, behind the header's seven bytes. */
  private void flipFirstCrc() throws IOException {
    Path block = Maps.blockFiles(cluster.volume(0).mountPoint()).get(0);
    try (Stream<Path> siblings = Files.list(block.getParent())) {
      Path meta = siblings.filter(each -> each.toString().endsWith(".meta")).findFirst().get();
      try (RandomAccessFile bytes = new RandomAccessFile(meta.toFile(), "rws")) {
        bytes.seek(7);
        int was = bytes.read();
        bytes.seek(7);
        bytes.write(was ^ 1);
      }
    }
  }

  private boolean isClosed(SeededFile file) throws IOException {
    return ((DistributedFileSystem) stock).isFileClosed(file.path());
  }

  private static void readSomewhere(FSDataInputStream in, SeededFile file, Random random, int times)
      throws IOException {
    for (int i = 0; i < times; i++) {
      byte[] got = new byte[1 + random.nextInt(20_000)];
      int at = random.nextInt(file.bytes().length - got.length);
      in.readFully(at, got);
      file.check(at, got);
    }
  }

  /** Right bytes, or an exception, which is what stock HDFS has for blocks that are gone. */
  private static void readOrFailLikeStock(FSDataInputStream in, SeededFile file, Random random) {
    byte[] got = new byte[1 + random.nextInt(20_000)];
    int at = random.nextInt(file.bytes().length - got.length);
    try {
      in.readFully(at, got);
    } catch (IOException gone) {
      return;
    }
    file.check(at, got);
  }

  private void deleteFromDataNode(SeededFile file) throws IOException {
    stock.delete(file.path(), false);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Maps.blockFiles(cluster.volume(0).mountPoint()).isEmpty());
  }
}
