// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.core.testing.Patience.await;
import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads by the device and by a DataNode in turn, as routing finds them: the same bytes. */
@Tag("loop")
@Shares(PLAIN_EXT4)
class RoutingIT {
  private static final int BLOCK = 4 << 20;
  private static final int LARGE_BLOCK = 24 << 20;
  private static final int READS = 20_000;

  private static Cluster cluster;
  private static FileSystem stock;

  @BeforeAll
  static void start(SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
  }

  @AfterAll
  static void stop() throws IOException {
    if (stock != null) {
      stock.close();
    }
  }

  @Test
  void bothWaysAreTriedAndGiveTheFile() throws IOException {
    SeededFile file = SeededFile.write(stock, "/f", 3 * BLOCK + 1000, 1);
    ClientCounters counters = RdioClientContext.counters();
    long probes = counters.routeProbes.sum();
    long byRdio = counters.rdioBytes.sum();
    long byStock = counters.stockBytes.sum();
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_ROUTING.name(), "true");
    Random random = new Random(1);
    long bytes = 0;
    try (FileSystem rdio = FileSystem.newInstance(conf);
        FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < READS; i++) {
        byte[] got = new byte[1 + random.nextInt(4096)];
        int from = random.nextInt(file.bytes().length - got.length);
        in.readFully(from, got);
        file.check(from, got);
        bytes += got.length;
      }
      for (int i = 0; i < 20; i++) {
        in.seek(0);
        file.check(0, in.readNBytes(file.bytes().length));
        bytes += file.bytes().length;
      }
    } finally {
      RdioClientContext.get(conf).close();
    }
    byRdio = counters.rdioBytes.sum() - byRdio;
    byStock = counters.stockBytes.sum() - byStock;
    assertThat(counters.routeProbes.sum() - probes).isPositive();
    assertThat(byStock).isPositive();
    assertThat(byRdio).isPositive();
    assertThat(byRdio + byStock).isEqualTo(bytes);
  }

  /** Once both are tried, which takes a few blocks. */
  @Test
  void aRunGoesByDeviceAndDataNodeAtOnce() throws Exception {
    SeededFile file = writeLarge();
    ClientCounters counters = RdioClientContext.counters();
    long together = counters.togetherBytes.sum();
    long byDevice = counters.rdioBytes.sum();
    try (RdioClient client = adaptive()) {
      await()
          .until(
              () -> {
                client.read(file); // which compares each byte
                return counters.togetherBytes.sum() > together;
              });
    }
    assertThat(counters.rdioBytes.sum()).isGreaterThan(byDevice);
  }

  private static SeededFile writeLarge() throws IOException {
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", LARGE_BLOCK);
    try (FileSystem fs = FileSystem.newInstance(conf)) {
      return SeededFile.write(fs, "/large", 2 * LARGE_BLOCK, 4);
    }
  }

  private static RdioClient adaptive() throws IOException {
    return RdioClient.of(
        cluster,
        "fs.hdfs.impl",
        RdioFileSystem.class.getName(),
        RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
        "0",
        RdioConfigKeys.CLIENT_ROUTING.name(),
        "adaptive");
  }

  /** Two ranges of each of three blocks, of which one is in the block behind it, too. */
  private static long readRanges(FSDataInputStream in, SeededFile file) throws Exception {
    List<FileRange> ranges = new ArrayList<>();
    for (int block = 0; block < 3; block++) {
      ranges.add(FileRange.createFileRange(block * (long) BLOCK + 70_000, 90_000));
      ranges.add(FileRange.createFileRange((block + 1) * (long) BLOCK - 100, 300));
    }
    in.readVectored(ranges, ByteBuffer::allocate);
    long bytes = 0;
    for (FileRange range : ranges) {
      byte[] got = new byte[range.getLength()];
      range.getData().get(1, TimeUnit.MINUTES).get(got);
      file.check(range.getOffset(), got);
      bytes += got.length;
    }
    return bytes;
  }

  @Test
  void rangesOfAVectoredReadAreUnderWayTogether() throws Exception {
    SeededFile file = SeededFile.write(stock, "/vectored", 3 * BLOCK + 1000, 2);
    ClientCounters counters = RdioClientContext.counters();
    try (RdioClient client = adaptive()) {
      client.read(file); // so that all maps are here
      try (FSDataInputStream in = client.fs().open(file.path())) {
        long together = counters.vectoredRanges.sum();
        long bytes = readRanges(in, file);
        assertThat(counters.vectoredRanges.sum() - together).isEqualTo(6);

        long byStock = counters.stockBytes.sum();
        for (int i = 0; i < 30; i++) {
          bytes += readRanges(in, file);
        }
        assertThat(counters.stockBytes.sum() - byStock)
            .as("to find out how fast the DataNode is")
            .isPositive();
        ReadStatistics read = ((HdfsDataInputStream) in).getReadStatistics();
        assertThat(read.getTotalBytesRead()).isEqualTo(bytes);
        assertThat(read.getTotalShortCircuitBytesRead()).isLessThan(bytes);
      }
    }
  }

  @Test
  void aDeviceThatFailsInTheMiddleOfAVectoredReadFailsNoRange() throws Exception {
    SeededFile file = SeededFile.write(stock, "/failing", 3 * BLOCK + 1000, 3);
    Counts counts = Counts.now();
    AtomicInteger reads = new AtomicInteger();
    try (RdioClient client = adaptive()) {
      client.read(file);
      RdioClientFaultInjector.set(
          new RdioClientFaultInjector() {
            @Override
            public void beforeDeviceRead(BlockDevice device, long offset, int length)
                throws FallbackException {
              if (reads.incrementAndGet() > 5) {
                throw new FallbackException(FallbackReason.BUFFERS_EXHAUSTED, "injected");
              }
            }
          });
      try (FSDataInputStream in = client.fs().open(file.path())) {
        readRanges(in, file);
      } finally {
        RdioClientFaultInjector.reset();
      }
    }
    assertThat(counts.fallbacks()).containsKey(FallbackReason.BUFFERS_EXHAUSTED);
  }
}
