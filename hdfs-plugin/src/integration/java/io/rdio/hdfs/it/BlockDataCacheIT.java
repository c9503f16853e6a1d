// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Positional reads through HDFS with the block data cache on. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class BlockDataCacheIT {
  private static final int BLOCK = 4 << 20;
  private static final int CHUNK = 64 << 10;
  private static final int CACHE = 16 << 20;

  private static Cluster cluster;
  private static FileSystem stock;
  private static FileSystem cached;
  private static Counts counts;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
    cached = open(Integer.toString(CACHE));
  }

  private static FileSystem open(String cacheBytes) throws IOException {
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE.name(), cacheBytes);
    return FileSystem.newInstance(conf);
  }

  @AfterAll
  static void stop() throws IOException {
    if (cached != null) {
      close(cached);
      assertThat(metric("DataCacheBytesAllocated")).as("freed on close").isZero();
      stock.close();
    }
  }

  private static void close(FileSystem rdio) throws IOException {
    rdio.close();
    RdioClientContext.get(rdio.getConf()).close();
  }

  @BeforeEach
  void count() {
    counts = Counts.now();
  }

  @Test
  void whatWasWantedTwiceIsNotReadFromTheDeviceAgain() throws IOException {
    SeededFile file = SeededFile.write(stock, "/hot", 2 * BLOCK + 1000, 1);
    try (FSDataInputStream in = cached.open(file.path())) {
      for (int i = 0; i < 2; i++) {
        in.readFully(BLOCK - 5000, new byte[10_000]);
        in.readFully(2 * BLOCK + 900, new byte[100]);
      }
      long device = metric("DeviceBytes");
      long hits = metric("DataCacheHits");
      check(in, file, BLOCK - 5000, 10_000);
      check(in, file, 2 * BLOCK, 1000);
      check(in, file, BLOCK - CHUNK, 2 * CHUNK);
      assertThat(metric("DeviceBytes")).isEqualTo(device);
      assertThat(metric("DataCacheHits")).isEqualTo(hits + 5);
    }
    counts.assertNoFallback();
  }

  @Test
  void manyReadsOfMoreThanItHolds() throws IOException {
    SeededFile file = SeededFile.write(stock, "/large", 8 * BLOCK, 2);
    long evictions = metric("DataCacheEvictions");
    Random random = new Random(3);
    try (FSDataInputStream in = cached.open(file.path())) {
      for (int i = 0; i < 3000; i++) {
        int count = 1 + random.nextInt(i % 10 == 0 ? 10 * CHUNK : 10_000);
        check(in, file, random.nextInt(file.bytes().length - count), count);
      }
      in.seek(0);
      file.check(0, in.readNBytes(file.bytes().length));
    }
    assertThat(metric("DataCacheEvictions")).isGreaterThan(evictions);
    assertThat(metric("DataCacheBytesAllocated")).isLessThanOrEqualTo(CACHE);
    counts.assertNoFallback();
  }

  @Test
  void appendDropsTheBlocksChunks() throws Exception {
    SeededFile file = SeededFile.write(stock, "/growing", BLOCK / 2, 4);
    byte[] more = SeededFile.random(BLOCK, 5);
    FileSystem own = open("8m"); // with room for all
    long others = metric("DataCacheBytes");
    try (FSDataInputStream in = own.open(file.path())) {
      cache(in, 3);
      assertThat(metric("DataCacheBytes")).isEqualTo(others + 3 * CHUNK);
      try (FSDataOutputStream out = stock.append(file.path())) {
        out.write(more);
      }
      awaitDropped(others);
      check(in, file, 100, 3 * CHUNK);
    }
    try (FSDataInputStream in = own.open(file.path())) {
      byte[] got = new byte[BLOCK];
      for (int i = 0; i < 3; i++) {
        in.readFully(BLOCK / 2, got);
        assertThat(got).isEqualTo(more);
        check(in, file, 0, BLOCK / 2);
      }
    }
    close(own);
  }

  @Test
  void deleteDropsTheBlocksChunks() throws Exception {
    SeededFile file = SeededFile.write(stock, "/doomed", BLOCK, 6);
    FileSystem own = open("8m");
    long others = metric("DataCacheBytes");
    try (FSDataInputStream in = own.open(file.path())) {
      cache(in, 5);
      assertThat(metric("DataCacheBytes")).isEqualTo(others + 5 * CHUNK);
      stock.delete(file.path(), false);
      awaitDropped(others);
    }
    close(own);
  }

  @Test
  void isOffByDefault() throws IOException {
    SeededFile file = SeededFile.write(stock, "/cold", BLOCK, 7);
    FileSystem plain = cluster.fileSystem(true);
    long lookups = metric("DataCacheHits") + metric("DataCacheMisses");
    try (FSDataInputStream in = plain.open(file.path())) {
      for (int i = 0; i < 3; i++) {
        long device = metric("DeviceBytes");
        check(in, file, 5000, 4096);
        assertThat(metric("DeviceBytes")).isGreaterThan(device);
      }
    }
    assertThat(metric("DataCacheHits") + metric("DataCacheMisses")).isEqualTo(lookups);
    close(plain);
    counts.assertNoFallback();
  }

  private static void check(FSDataInputStream in, SeededFile file, int from, int count)
      throws IOException {
    byte[] got = new byte[count];
    in.readFully(from, got);
    file.check(from, got);
  }

  /** Has the first chunks of a file cached. */
  private static void cache(FSDataInputStream in, int chunks) throws IOException {
    for (int i = 0; i < 2; i++) {
      in.readFully(0, new byte[chunks * CHUNK]);
    }
  }

  private static void awaitDropped(long others) {
    await().atMost(Duration.ofSeconds(30)).until(() -> metric("DataCacheBytes") == others);
  }

  private static long metric(String name) {
    return RdioClientContext.dump().get(name);
  }
}
