// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.cluster.Shape.PLAIN_XFS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.FragmentedSpace;
import io.rdio.core.testing.Patience;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Shape;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every way of reading, every size that is special, in both modes: all of it by RDIO. */
@Tag("loop")
@Shares({PLAIN_EXT4, PLAIN_XFS})
@ParameterizedClass(name = "{0} {1}")
@MethodSource("io.rdio.hdfs.it.ReadMode#onFileSystems")
class ReadPathIT {
  private static final int BLOCK = 1 << 20;
  private static final int CHUNK = 512;

  @Parameter(0)
  String fsType;

  @Parameter(1)
  ReadMode mode;

  private static Cluster cluster;
  private static FileSystem stock;
  private static RdioClient client;
  private static FileSystem rdio;
  private static Counts counts;

  @BeforeParameterizedClassInvocation
  static void start(String fsType, ReadMode mode, SharedClusters clusters) throws IOException {
    cluster = clusters.of(Shape.plain(fsType));
    stock = cluster.fileSystem(false);
    client = RdioClient.of(cluster, mode);
    rdio = client.fs();
    counts = Counts.of(mode);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (client != null) {
      client.close();
      stock.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0,
        1,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        4095,
        4097,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        5 * BLOCK + 77
      })
  void sequentialReadsOfEverySize(int length) throws IOException {
    SeededFile file = SeededFile.write(stock, "/seq-" + length, length, length);
    for (int piece : new int[] {1000, 4096, 3 * BLOCK}) {
      long before = counts.rdioBytes();
      try (FSDataInputStream in = rdio.open(file.path())) {
        byte[] got = in.readNBytes(piece);
        file.check(0, got);
        int at = got.length;
        while (got.length > 0) {
          got = in.readNBytes(piece);
          file.check(at, got);
          at += got.length;
        }
        assertThat(at).isEqualTo(length);
      }
      assertThat(counts.rdioBytes() - before).as("bytes by RDIO").isEqualTo(length);
    }
    counts.assertNoFallback();
  }

  @Test
  void nextBlockIsBegunBeforeItIsOpened() throws IOException {
    SeededFile file = SeededFile.write(stock, "/next", 5 * BLOCK + 77, 3);
    ClientCounters counters = RdioClientContext.counters();
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readNBytes(CHUNK); // has the maps of all blocks loaded
    }
    long begun = counters.blocksAhead.sum();
    long used = counters.blocksAheadUsed.sum();
    long device = counters.deviceBytes.sum();
    try (FSDataInputStream in = rdio.open(file.path())) {
      int length = file.bytes().length;
      for (int at = 0; at < length; at += CHUNK) {
        // To small arrays: -Xcheck:jni copies all of one for each look of librdio at it.
        file.check(at, in.readNBytes(Math.min(CHUNK, length - at)));
      }
    }
    // An agent's reader begins with a block when it is opened; the agent has the map by then.
    int ahead = mode == ReadMode.DIRECT ? 5 : 0;
    assertThat(counters.blocksAheadUsed.sum() - used).isEqualTo(ahead);
    assertThat(counters.blocksAhead.sum() - begun).isEqualTo(ahead);
    assertThat(counters.deviceBytes.sum() - device)
        .as("nothing is read twice")
        .isLessThan(file.bytes().length + (long) BLOCK / 2);
    counts.assertNoFallback();
  }

  @Test
  void positionalReads() throws IOException {
    SeededFile file = SeededFile.write(stock, "/positional", 4 * BLOCK + 1234, 1);
    Random random = new Random(2);
    long before = counts.rdioBytes();
    long expected = 0;
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < 400; i++) {
        int length = 1 + random.nextInt(i % 10 == 0 ? 2 * BLOCK : 9000);
        int at = random.nextInt(file.bytes().length - length + 1);
        byte[] got = new byte[length];
        in.readFully(at, got);
        file.check(at, got);
        expected += length;
      }
      byte[] last = new byte[1];
      in.readFully(file.bytes().length - 1, last);
      file.check(file.bytes().length - 1, last);
      assertThat(in.read(file.bytes().length, last, 0, 1)).isEqualTo(-1);
    }
    assertThat(counts.rdioBytes() - before).isEqualTo(expected + 1);
    counts.assertNoFallback();
  }

  @Test
  void seeksBackwardsAndForwards() throws IOException {
    SeededFile file = SeededFile.write(stock, "/seeks", 3 * BLOCK, 3);
    Random random = new Random(4);
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < 200; i++) {
        int at = random.nextInt(file.bytes().length);
        in.seek(at);
        file.check(at, in.readNBytes(random.nextInt(3000)));
      }
    }
    counts.assertNoFallback();
  }

  @Test
  void byteBuffersOnAndOffTheHeap() throws IOException {
    SeededFile file = SeededFile.write(stock, "/buffers", 2 * BLOCK + 5, 5);
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int capacity : new int[] {1, 4096, 10_000, BLOCK}) {
        for (ByteBuffer buffer :
            List.of(
                ByteBuffer.allocate(capacity),
                ByteBuffer.allocateDirect(capacity),
                ByteBuffer.allocateDirect(2 * BLOCK).alignedSlice(4096).limit(capacity).slice())) {
          in.seek(0);
          long at = 0;
          while (at < Math.min(file.bytes().length, 3000L * capacity)) {
            buffer.clear();
            int count = in.read(buffer);
            assertThat(buffer.position()).isEqualTo(count);
            file.check(at, bytes(buffer.flip()));
            at += count;
          }
          buffer.clear();
          int room = buffer.remaining();
          in.readFully(4096, buffer);
          file.check(4096, bytes(buffer.flip()));
          assertThat(buffer.limit()).isEqualTo(room);
        }
      }
    }
    counts.assertNoFallback();
  }

  @Test
  void vectoredReads() throws Exception {
    SeededFile file = SeededFile.write(stock, "/vectored", 4 * BLOCK, 6);
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      ranges.add(FileRange.createFileRange(i * 100_000L, 30_000 + i * 1000));
    }
    long before = counts.rdioBytes();
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(ranges, ByteBuffer::allocateDirect);
      for (FileRange range : ranges) {
        file.check(range.getOffset(), bytes(range.getData().get()));
      }
    }
    long asked = ranges.stream().mapToLong(FileRange::getLength).sum();
    assertThat(counts.rdioBytes() - before).isGreaterThanOrEqualTo(asked);
    counts.assertNoFallback();
  }

  @Test
  void manyReadersAtOnce() throws Exception {
    SeededFile file = SeededFile.write(stock, "/concurrent", 6 * BLOCK + 99, 7);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try (FSDataInputStream shared = rdio.open(file.path())) {
      List<Callable<Void>> readers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        int seed = i;
        readers.add(
            () -> {
              readAtRandom(shared, file, seed);
              try (FSDataInputStream own = rdio.open(file.path())) {
                file.check(0, own.readAllBytes());
              }
              return null;
            });
      }
      for (Future<Void> reader : threads.invokeAll(readers)) {
        reader.get();
      }
    } finally {
      threads.shutdownNow();
    }
    counts.assertNoFallback();
  }

  private static void readAtRandom(FSDataInputStream in, SeededFile file, int seed)
      throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      byte[] got = new byte[1 + random.nextInt(50_000)];
      int at = random.nextInt(file.bytes().length - got.length);
      in.readFully(at, got);
      file.check(at, got);
    }
  }

  @Test
  void blockFilesOfHundredsOfExtents() throws Exception {
    Path mountPoint = cluster.volume(0).mountPoint();
    // More than the 16 MB that ext4 keeps in reserve, in one piece, and uses for delayed writes.
    FragmentedSpace.make(mountPoint, 10_000);
    SeededFile file;
    try {
      // A heartbeat from while it was all full may be the last that the NameNode has heard.
      Patience.await().until(() -> stock.getStatus().getRemaining() > 16 * BLOCK);
      file = SeededFile.write(stock, "/fragmented", 26 * BLOCK, 8);
      Command.run("sync", "-f", mountPoint.toString()); // it gets its extents only now
    } finally {
      Files.delete(mountPoint.resolve("filler"));
    }
    try (FSDataInputStream in = rdio.open(file.path())) {
      file.check(0, in.readAllBytes());
      Random random = new Random(9);
      for (int i = 0; i < 200; i++) {
        byte[] got = new byte[1 + random.nextInt(40_000)];
        int at = random.nextInt(file.bytes().length - got.length);
        in.readFully(at, got);
        file.check(at, got);
      }
    }
    assertThat(Maps.mostExtents(rdio, file.path())).isGreaterThan(100);
    counts.assertNoFallback();
  }

  @Test
  void countsAsShortCircuit() throws IOException {
    SeededFile file = SeededFile.write(stock, "/statistics", BLOCK / 2, 10);
    try (HdfsDataInputStream in = (HdfsDataInputStream) rdio.open(file.path())) {
      file.check(0, in.readAllBytes());
      assertThat(in.getReadStatistics().getTotalShortCircuitBytesRead()).isEqualTo(BLOCK / 2);
    }
  }

  @Test
  void withoutChecksumVerification() throws IOException {
    SeededFile file = SeededFile.write(stock, "/unverified", BLOCK + 100, 11);
    try (FileSystem careless = FileSystem.newInstance(new Configuration(rdio.getConf()))) {
      careless.setVerifyChecksum(false);
      try (FSDataInputStream in = careless.open(file.path())) {
        file.check(0, in.readAllBytes());
      }
    }
    counts.assertNoFallback();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
