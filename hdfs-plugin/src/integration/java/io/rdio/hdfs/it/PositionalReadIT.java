// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static io.rdio.hdfs.it.PositionalAnswers.answer;
import static io.rdio.hdfs.it.PositionalAnswers.answerFully;
import static io.rdio.hdfs.it.PositionalAnswers.buffer;
import static io.rdio.hdfs.it.PositionalAnswers.same;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads by position that go round Hadoop's own, in both modes: their bytes, and all else that a
 * caller can tell, compared with stock HDFS.
 */
@Tag("loop")
@Shares(PLAIN_EXT4)
@ParameterizedClass
@EnumSource(ReadMode.class)
class PositionalReadIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 3 * BLOCK + 777;
  private static final int PAGE = 4096;
  private static final LongAdder KEPT = RdioClientContext.counters().positionalReads;

  @Parameter ReadMode mode;

  private static Cluster cluster;
  private static RdioClient client;
  private static FileSystem rdio;
  private static FileSystem stock;
  private static SeededFile file;

  @BeforeParameterizedClassInvocation
  static void start(ReadMode mode, SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    Configuration conf = cluster.clientConf(false);
    conf.setInt("dfs.blocksize", BLOCK);
    stock = FileSystem.newInstance(conf);
    client =
        RdioClient.of(
            cluster,
            mode,
            "dfs.blocksize",
            Integer.toString(BLOCK),
            "fs.hdfs.impl",
            RdioFileSystem.class.getName());
    rdio = client.fs();
    file = SeededFile.write(stock, "/positional", LENGTH, 12);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (client != null) {
      client.close();
      stock.close();
    }
  }

  /** So that the maps of all blocks are here. */
  @BeforeEach
  void haveMaps() {
    Counts.awaitRead(mode, rdio, file, Duration.ofSeconds(60));
  }

  @Test
  void noneOfThemIsHadoops() throws Exception {
    Counts counts = Counts.of(mode);
    long bytes = counts.rdioBytes();
    long kept = KEPT.sum();
    Random random = new Random(1);
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < 200; i++) {
        byte[] got = new byte[PAGE];
        int at = random.nextInt(LENGTH - PAGE);
        assertThat(in.read(at, got, 0, PAGE)).isEqualTo(PAGE);
        file.check(at, got);
      }
      assertThat(in.getPos()).isZero();
    }
    assertThat(KEPT.sum() - kept).isEqualTo(200);
    assertThat(counts.rdioBytes() - bytes).isEqualTo(200 * PAGE);
    counts.assertNoFallback();
  }

  @Test
  void anyRangeToAnyKindOfMemory() throws Exception {
    Counts counts = Counts.of(mode);
    long kept = KEPT.sum();
    Random random = new Random(2);
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int i = 0; i < 60; i++) {
        int count = 1 + random.nextInt(i % 4 == 0 ? LENGTH : 20_000);
        int at = random.nextInt(LENGTH - count + 1);
        byte[] array = new byte[count];
        in.readFully(at, array);
        file.check(at, array);
        ByteBuffer buffer =
            i % 2 == 0 ? ByteBuffer.allocateDirect(count + 9) : ByteBuffer.allocate(count + 9);
        buffer.position(4).limit(4 + count);
        in.readFully(at, buffer);
        assertThat(buffer.hasRemaining()).isFalse();
        buffer.position(4).get(array);
        file.check(at, array);
      }
    }
    assertThat(KEPT.sum() - kept).isEqualTo(120);
    counts.assertNoFallback();
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        -1,
        0,
        1,
        BLOCK - 10,
        LENGTH - PAGE,
        LENGTH - 10,
        LENGTH - 1,
        LENGTH,
        LENGTH + 5L,
        Long.MAX_VALUE - 3,
        Long.MIN_VALUE
      })
  void whereTheFileEndsAndWhatIsNoPositionIsAsInStock(long position) throws Exception {
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      for (int count : new int[] {0, 1, 20, PAGE}) {
        same(in, as, stream -> answer(stream, position, count));
        same(in, as, stream -> answerFully(stream, position, count));
        for (boolean direct : new boolean[] {true, false}) {
          same(in, as, stream -> answer(stream, position, buffer(count, direct)));
          same(in, as, stream -> answerFully(stream, position, buffer(count, direct)));
        }
      }
    }
  }

  @Test
  void whatIsNoArgumentIsNoneInStockEither() throws Exception {
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      same(in, as, stream -> stream.read(0, new byte[10], 5, 6));
      same(in, as, stream -> stream.read(0, new byte[10], -1, 6));
      same(in, as, stream -> stream.read(0, new byte[10], 0, -1));
      same(
          in,
          as,
          stream -> {
            stream.readFully(0, new byte[10], 5, 6);
            return "done";
          });
      same(in, as, stream -> stream.read(0, ByteBuffer.allocate(9).asReadOnlyBuffer()));
    }
  }

  @Test
  void manyThreadsShareAStream() throws Exception {
    Counts counts = Counts.of(mode);
    long kept = KEPT.sum();
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try (FSDataInputStream in = rdio.open(file.path())) {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 6; thread++) {
        Random random = new Random(thread);
        all.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    byte[] got = new byte[1 + random.nextInt(2 * PAGE)];
                    int at = random.nextInt(LENGTH - got.length);
                    in.readFully(at, got);
                    file.check(at, got);
                  }
                  return null;
                }));
      }
      in.readNBytes(new byte[LENGTH], 0, LENGTH); // meanwhile, in order
      for (Future<?> each : all) {
        each.get(2, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(KEPT.sum() - kept).isEqualTo(600);
    counts.assertNoFallback();
  }

  @Test
  @SuppressWarnings("deprecation") // what MapReduce asks
  void theyAreCountedAsHadoopCountsThem() throws Exception {
    FileSystem.Statistics figures = FileSystem.getStatistics("hdfs", rdio.getClass());
    long bytes = figures.getBytesRead();
    long near = figures.getBytesReadByDistance(0);
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readFully(BLOCK - 100, new byte[300]);
      in.readFully(5, ByteBuffer.allocate(1000));
      ReadStatistics read = ((HdfsDataInputStream) in).getReadStatistics();
      assertThat(read.getTotalBytesRead()).isEqualTo(1300);
      assertThat(read.getTotalShortCircuitBytesRead()).isEqualTo(1300);
    }
    assertThat(figures.getBytesReadByDistance(0) - near).isEqualTo(1300);
    assertThat(figures.getBytesRead() - bytes).isEqualTo(1300);
  }

  @Test
  void closedStreamsSayWhatStockOnesSay() throws Exception {
    FSDataInputStream in = rdio.open(file.path());
    FSDataInputStream as = stock.open(file.path());
    in.readFully(0, new byte[PAGE]);
    as.readFully(0, new byte[PAGE]);
    in.close();
    as.close();
    same(in, as, stream -> answer(stream, 0, 10));
    same(in, as, stream -> answer(stream, 0, 0));
    same(in, as, stream -> answerFully(stream, 0, buffer(10, true)));
    assertThatThrownBy(() -> in.read(0, new byte[1], 0, 1)).hasMessage("Stream closed");
    in.close();
  }

  @Test
  void streamsOfAClosedFileSystemSayWhatStockOnesSay() throws Exception {
    FileSystem mine = FileSystem.newInstance(rdio.getConf());
    FileSystem theirs = FileSystem.newInstance(stock.getConf());
    FSDataInputStream in = mine.open(file.path());
    FSDataInputStream as = theirs.open(file.path());
    in.readFully(0, new byte[PAGE]);
    mine.close();
    theirs.close();
    same(in, as, stream -> answer(stream, 0, 10));
    assertThatThrownBy(() -> in.readFully(0, new byte[1])).hasMessageContaining("closed");
  }

  /** What has a stream give back what it keeps. */
  @FunctionalInterface
  private interface Release {
    void happens() throws IOException;
  }

  @Test
  void unbufferedItGoesOn() throws Exception {
    Counts counts = Counts.of(mode);
    long kept = KEPT.sum();
    try (FSDataInputStream in = rdio.open(file.path())) {
      List<Release> releases =
          List.of(in::unbuffer, () -> in.setReadahead(4L << 20), () -> in.setDropBehind(true));
      for (Release release : releases) {
        byte[] got = new byte[PAGE];
        in.readFully(BLOCK, got);
        file.check(BLOCK, got);
        release.happens();
      }
    }
    assertThat(KEPT.sum() - kept).isEqualTo(3);
    counts.assertNoFallback();
  }

  /** Whether the answer is there before anybody looks is a matter of luck. */
  @Test
  void anInterruptedReaderHasItsBytesOrHearsSo() throws Exception {
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readFully(0, new byte[PAGE]);
      byte[] got = new byte[PAGE];
      Thread.currentThread().interrupt();
      try {
        in.readFully(BLOCK / 2, got);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        file.check(BLOCK / 2, got);
      } catch (IOException e) {
        assertThat(e).isInstanceOf(InterruptedIOException.class);
      } finally {
        Thread.interrupted();
      }
      in.readFully(BLOCK / 2, got);
      file.check(BLOCK / 2, got);
    }
  }

  @Test
  void whatIsStillWrittenIsHadoops() throws Exception {
    SeededFile growing =
        new SeededFile(new Path("/positional-growing"), SeededFile.random(BLOCK / 2, 5));
    Counts counts = Counts.of(mode);
    long kept = KEPT.sum();
    try (FSDataOutputStream out = rdio.create(growing.path(), true)) {
      out.write(growing.bytes());
      out.hflush();
      try (FSDataInputStream in = rdio.open(growing.path())) {
        for (int i = 0; i < 3; i++) {
          byte[] got = new byte[PAGE];
          in.readFully(1000, got);
          growing.check(1000, got);
        }
        assertThat(in.read(BLOCK / 2, new byte[1], 0, 1)).isEqualTo(-1);
      }
    }
    assertThat(KEPT.sum() - kept).isZero();
    assertThat(counts.fallbacks()).isEqualTo(Map.of(FallbackReason.FILE_UNDER_CONSTRUCTION, 3L));
  }

  @Test
  void aBlockNeverReadBeforeIsFirstReadAsEver() throws Exception {
    SeededFile fresh = SeededFile.write(stock, "/positional-fresh", BLOCK, 6);
    Counts counts = Counts.of(mode);
    long kept = KEPT.sum();
    byte[] got = new byte[PAGE];
    try (RdioClient waitless =
            RdioClient.of(
                cluster,
                mode,
                "dfs.client.rdio.first.bytes",
                "256k",
                "fs.hdfs.impl",
                RdioFileSystem.class.getName());
        FSDataInputStream in = waitless.fs().open(fresh.path())) {
      in.readFully(0, got);
      fresh.check(0, got);
    }
    assertThat(KEPT.sum() - kept).isZero();
    assertThat(counts.fallbacks()).containsOnlyKeys(FallbackReason.FIRST_READ);
  }

  @Test
  void hedgedReadsAreHadoops() throws Exception {
    Configuration conf = new Configuration(rdio.getConf());
    conf.setInt("dfs.client.hedged.read.threadpool.size", 2);
    long kept = KEPT.sum();
    try (FileSystem hedging = FileSystem.newInstance(conf);
        FSDataInputStream in = hedging.open(file.path())) {
      byte[] got = new byte[PAGE];
      in.readFully(100, got);
      file.check(100, got);
    }
    assertThat(KEPT.sum() - kept).isZero();
  }

  @Test
  void theStreamIsStillWhatCallersKnow() throws Exception {
    try (FSDataInputStream in = rdio.open(file.path());
        FSDataInputStream as = stock.open(file.path())) {
      for (String capability :
          List.of("in:unbuffer", "in:readahead", "dropbehind", "in:preadbytebuffer", "hsync")) {
        assertThat(in.hasCapability(capability))
            .as(capability)
            .isEqualTo(as.hasCapability(capability));
      }
      same(in, as, FSDataInputStream::getFileDescriptor);
      assertThat(in.getWrappedStream()).hasSameClassAs(as.getWrappedStream());
      assertThat(((HdfsDataInputStream) in).getAllBlocks()).hasSize(4);
      assertThat(((HdfsDataInputStream) in).getVisibleLength()).isEqualTo(LENGTH);
      assertThatThrownBy(() -> in.readFully(LENGTH, new byte[1])).isInstanceOf(EOFException.class);
    }
  }
}
