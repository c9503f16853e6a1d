// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.cluster.Shape.SHORT_TWO_NODES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
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
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Files that change behind a stream which keeps ways to their blocks, beside a stream of stock HDFS
 * that was opened together with it: once leases are recalled both give the same.
 */
@Tag("loop")
@Shares({PLAIN_EXT4, SHORT_TWO_NODES})
@ParameterizedClass
@EnumSource(ReadMode.class)
class PositionalChangeIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 2 * BLOCK;
  private static final int PAGE = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OLD_BYTES = "the old bytes";
  private static final LongAdder KEPT = RdioClientContext.counters().positionalReads;

  @Parameter ReadMode mode;

  private SharedClusters clusters;
  private Shape shape;
  private Cluster cluster;
  private FileSystem stock;
  private RdioClient client;
  private FileSystem rdio;
  private SeededFile file;

  @BeforeEach
  void share(SharedClusters shared) {
    clusters = shared;
  }

  /**
   * @param retryWindow milliseconds: short where many reads are of blocks gone
   */
  private void start(Shape wanted, String retryWindow) throws IOException {
    cluster = clusters.of(wanted);
    shape = wanted;
    Configuration conf = cluster.clientConf(false);
    conf.set("dfs.client.retry.window.base", retryWindow);
    stock = FileSystem.newInstance(conf);
    client =
        RdioClient.of(
            cluster,
            mode,
            "dfs.client.retry.window.base",
            retryWindow,
            "fs.hdfs.impl",
            RdioFileSystem.class.getName());
    rdio = client.fs();
    file = SeededFile.write(stock, "/changing", LENGTH, 21);
    Counts.awaitRead(mode, rdio, file, PATIENCE);
  }

  @AfterEach
  void stop() throws IOException {
    if (client != null) {
      client.close();
      stock.close();
      clusters.clean(shape);
    }
  }

  /** By ways that are kept, each block. */
  private void readByKeptWays(FSDataInputStream in) throws IOException {
    long before = KEPT.sum();
    for (int at = 0; at < LENGTH; at += BLOCK / 4) {
      read(in, at);
    }
    assertThat(KEPT.sum() - before).isEqualTo(4 * LENGTH / BLOCK);
  }

  private void read(FSDataInputStream in, int at) throws IOException {
    byte[] got = new byte[PAGE];
    in.readFully(at, got);
    file.check(at, got);
  }

  /** What a read tells: that its bytes are the old ones, or what kind of failure it is. */
  private String heard(FSDataInputStream in, int at) {
    try {
      read(in, at);
      return OLD_BYTES;
    } catch (IOException e) {
      return e.getClass().getName();
    }
  }

  private void awaitTheSame(FSDataInputStream in, FSDataInputStream as, boolean oldBytes) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () -> {
              for (int at = 0; at < LENGTH; at += BLOCK / 4) {
                String theirs = heard(as, at);
                assertThat(theirs.equals(OLD_BYTES)).isEqualTo(oldBytes);
                assertThat(heard(in, at)).isEqualTo(theirs);
              }
            });
  }

  private void awaitNoPins() {
    await().atMost(PATIENCE).until(() -> Maps.pins(cluster) == 0);
  }

  @Test
  void deleted() throws Exception {
    start(PLAIN_EXT4, "10");
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      readByKeptWays(in);
      stock.delete(file.path(), false);
      awaitTheSame(in, as, false);
      awaitNoPins();
    }
  }

  @Test
  void overwritten() throws Exception {
    start(PLAIN_EXT4, "10");
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      readByKeptWays(in);
      SeededFile other = SeededFile.write(stock, "/changing", LENGTH, 22);
      awaitTheSame(in, as, false);
      try (FSDataInputStream later = rdio.open(file.path())) {
        byte[] got = new byte[PAGE];
        later.readFully(BLOCK, got);
        other.check(BLOCK, got);
      }
    }
  }

  @Test
  void appendedTo() throws Exception {
    start(PLAIN_EXT4, "10");
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      readByKeptWays(in);
      try (FSDataOutputStream out = stock.append(file.path())) {
        out.write(SeededFile.random(BLOCK / 2, 23));
        out.hflush();
        readSomewhere(in, 24);
      }
      readSomewhere(in, 25);
      awaitTheSame(in, as, true);
      byte[] one = new byte[1];
      assertThat(in.read(LENGTH, one, 0, 1)).isEqualTo(as.read(LENGTH, one, 0, 1)).isEqualTo(-1);
    }
  }

  private void readSomewhere(FSDataInputStream in, long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      read(in, random.nextInt(LENGTH - PAGE));
    }
  }

  @Test
  void truncated() throws Exception {
    start(PLAIN_EXT4, "10");
    int cutTo = LENGTH - BLOCK / 2;
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      readByKeptWays(in);
      stock.truncate(file.path(), cutTo);
      await()
          .atMost(PATIENCE)
          .until(() -> ((DistributedFileSystem) stock).isFileClosed(file.path()));
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(50))
          .untilAsserted(
              () -> {
                for (int at : new int[] {0, BLOCK, cutTo - PAGE, cutTo, LENGTH - PAGE}) {
                  assertThat(heard(in, at)).as("at " + at).isEqualTo(heard(as, at));
                }
              });
      assertThat(heard(in, 0)).isEqualTo(OLD_BYTES);
      assertThat(heard(in, LENGTH - PAGE)).isNotEqualTo(OLD_BYTES);
    }
  }

  @Test
  void oneOfTwoDataNodesDies() throws Exception {
    start(SHORT_TWO_NODES, "3000");
    try (FSDataInputStream in = rdio.open(file.path())) {
      readByKeptWays(in);
      cluster.dataNode(0).kill();
      try {
        long until = System.nanoTime() + Duration.ofSeconds(8).toNanos(); // leases take six
        for (int seed = 0; System.nanoTime() < until; seed++) {
          readSomewhere(in, seed);
        }
      } finally {
        cluster.dataNode(0).start();
      }
      readSomewhere(in, -1);
    }
    Counts.awaitRead(mode, rdio, file, PATIENCE);
    try (FSDataInputStream in = rdio.open(file.path())) {
      readByKeptWays(in);
    }
  }
}
