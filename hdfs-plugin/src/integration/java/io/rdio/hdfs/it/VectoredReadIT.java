// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import static io.rdio.hdfs.cluster.Shape.PLAIN_EXT4;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.agent.JvmAgent;
import io.rdio.hdfs.client.RdioFileSystem;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.SharedClusters;
import io.rdio.hdfs.cluster.Shares;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** readVectored through the file system that has its ranges under way together, in both modes. */
@Tag("loop")
@Shares(PLAIN_EXT4)
@ParameterizedClass
@EnumSource(ReadMode.class)
class VectoredReadIT {
  private static final int BLOCK = 1 << 20;
  private static final int LENGTH = 5 * BLOCK + 777;

  @Parameter ReadMode mode;

  private static Cluster cluster;
  private static RdioClient client;
  private static FileSystem rdio;
  private static SeededFile file;

  @BeforeParameterizedClassInvocation
  static void start(ReadMode mode, SharedClusters clusters) throws IOException {
    cluster = clusters.of(PLAIN_EXT4);
    client =
        RdioClient.of(
            cluster,
            mode,
            "dfs.blocksize",
            Integer.toString(BLOCK),
            "fs.hdfs.impl",
            RdioFileSystem.class.getName());
    rdio = client.fs();
    file = SeededFile.write(rdio, "/vectored", LENGTH, 11);
  }

  @AfterParameterizedClassInvocation
  static void stop() throws IOException {
    if (client != null) {
      client.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anyRangesAreTheFilesBytes(boolean direct) throws Exception {
    Counts counts = Counts.of(mode);
    long before = counts.rdioBytes();
    Random random = new Random(3);
    IntFunction<ByteBuffer> allocate = direct ? ByteBuffer::allocateDirect : ByteBuffer::allocate;
    long wanted = 0;
    try (FSDataInputStream in = rdio.open(file.path())) {
      for (int round = 0; round < 30; round++) {
        List<FileRange> ranges = randomRanges(random);
        in.readVectored(ranges, allocate);
        for (FileRange range : ranges) {
          check(range);
          wanted += range.getLength();
        }
      }
    }
    assertThat(counts.rdioBytes() - before).isGreaterThanOrEqualTo(wanted);
  }

  @Test
  void rangesOfAllBlocksAreUnderWayTogether() throws Exception {
    client.read(file); // so that all maps are here, of blocks of which little is wanted
    Counts counts = Counts.of(mode);
    LongAdder together = RdioClientContext.counters().vectoredRanges;
    long before = together.sum();
    long bytesBefore = counts.rdioBytes();
    long shownBefore = shownAsIoStatistics();
    List<FileRange> ranges = new ArrayList<>();
    ranges.add(FileRange.createFileRange(0, 0));
    for (int block = 0; block < 5; block++) {
      ranges.add(FileRange.createFileRange(block * (long) BLOCK + 70_000, 90_000));
      ranges.add(FileRange.createFileRange((block + 1) * (long) BLOCK - 100, 300));
    }
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(ranges, ByteBuffer::allocate);
      for (FileRange range : ranges) {
        check(range);
      }
      assertThat(((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead())
          .isEqualTo(5 * (90_000 + 300));
    }
    assertThat(together.sum() - before).isEqualTo(10);
    assertThat(RdioClientContext.counters().vectoredTogether.get()).isGreaterThanOrEqualTo(10);
    assertThat(counts.rdioBytes() - bytesBefore).isEqualTo(5 * (90_000 + 300));
    assertThat(shownAsIoStatistics() - shownBefore).isEqualTo(5 * (90_000 + 300));
    counts.assertNoFallback();
  }

  private static long shownAsIoStatistics() {
    return requireNonNull(IOStatisticsSupport.retrieveIOStatistics(rdio))
        .counters()
        .get("RdioBytes");
  }

  @Test
  void anAgentThatEndsInTheMiddleFailsNoRange() throws Exception {
    assumeTrue(mode == ReadMode.BY_AGENT, "this is about an agent that ends");
    Configuration conf = cluster.clientConf(true);
    conf.set("fs.hdfs.impl", RdioFileSystem.class.getName());
    // With the settings of the other agent this one would have, and close, its context.
    conf.setLong(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), 12_345);
    JvmAgent agent = JvmAgent.start(conf);
    AtomicBoolean ended = new AtomicBoolean();
    Counts counts = Counts.of(mode);
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ranges.add(FileRange.createFileRange(i * 250_000L, 240_000));
    }
    try (FileSystem other = FileSystem.newInstance(conf);
        FSDataInputStream in = other.open(file.path())) {
      in.readVectored(
          ranges,
          size -> {
            end(agent, ended); // buffers are made for blocks that are open, before the first READ
            return ByteBuffer.allocate(size);
          });
      for (FileRange range : ranges) {
        check(range);
      }
    } finally {
      end(agent, ended);
    }
    assertThat(counts.fallbacks()).containsKey(FallbackReason.AGENT_UNAVAILABLE);
  }

  private static void end(JvmAgent agent, AtomicBoolean ended) {
    if (ended.compareAndSet(false, true)) {
      try {
        agent.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void moreThanThereIsRoomForComesInTurn() throws Exception {
    FileRange whole = FileRange.createFileRange(1, LENGTH - 2);
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(List.of(whole), ByteBuffer::allocateDirect);
      check(whole);
    }
  }

  @Test
  void neighboursAreReadTogether() throws Exception {
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      ranges.add(FileRange.createFileRange(100_000 + i * 4_000, 1_000));
    }
    LongAdder reads = RdioClientContext.counters().rdioReads;
    long before = reads.sum();
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(ranges, ByteBuffer::allocate);
      for (FileRange range : ranges) {
        check(range);
      }
    }
    assertThat(reads.sum() - before).isEqualTo(1);
  }

  @Test
  void rangesBeyondTheEndFailAndTheirNeighboursDoNot() throws Exception {
    FileRange good = FileRange.createFileRange(LENGTH - 5_000, 1_000);
    FileRange bad = FileRange.createFileRange(LENGTH - 1_000, 2_000);
    List<ByteBuffer> released = new ArrayList<>();
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(List.of(good, bad), ByteBuffer::allocate, released::add);
      check(good);
      assertThatThrownBy(() -> bad.getData().get(1, TimeUnit.MINUTES))
          .hasCauseInstanceOf(EOFException.class);
    }
    assertThat(released).hasSize(2); // of both together, and of the bad one alone
  }

  @Test
  void overlappingRangesAreRefused() throws Exception {
    try (FSDataInputStream in = rdio.open(file.path())) {
      List<FileRange> ranges =
          List.of(FileRange.createFileRange(0, 100), FileRange.createFileRange(50, 100));
      assertThatThrownBy(() -> in.readVectored(ranges, ByteBuffer::allocate))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void whatIsCancelledMeanwhileGivesItsBufferBack() throws Exception {
    client.read(file);
    FileRange unwanted = FileRange.createFileRange(100_000, 50_000);
    FileRange wanted = FileRange.createFileRange(3 * BLOCK, 60_000);
    List<ByteBuffer> released = new ArrayList<>();
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(
          List.of(unwanted, wanted),
          size -> {
            unwanted.getData().cancel(false);
            return ByteBuffer.allocate(size);
          },
          released::add);
      check(wanted);
    }
    assertThat(unwanted.getData().isCancelled()).isTrue();
    assertThat(released).singleElement().satisfies(b -> assertThat(b.limit()).isEqualTo(50_000));
  }

  @Test
  void anAllocatorThatThrowsFailsItsRangeOnly() throws Exception {
    client.read(file);
    FileRange bad = FileRange.createFileRange(0, 77_000);
    FileRange good = FileRange.createFileRange(2 * BLOCK, 50_000);
    try (FSDataInputStream in = rdio.open(file.path())) {
      in.readVectored(
          List.of(bad, good),
          size -> {
            if (size == 77_000) {
              throw new IllegalStateException("as told");
            }
            return ByteBuffer.allocate(size);
          });
      check(good);
    }
    assertThatThrownBy(() -> bad.getData().get(1, TimeUnit.MINUTES))
        .hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void aReleaseThatThrowsLeavesNobodyWaiting() throws Exception {
    client.read(file);
    List<FileRange> ranges = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ranges.add(FileRange.createFileRange(i * (long) BLOCK, 50_000));
    }
    try (FSDataInputStream in = rdio.open(file.path())) {
      assertThatThrownBy(
              () ->
                  in.readVectored(
                      ranges,
                      size -> {
                        ranges.get(1).getData().cancel(false);
                        return ByteBuffer.allocate(size);
                      },
                      buffer -> {
                        throw new IllegalStateException("as told");
                      }))
          .isInstanceOf(IllegalStateException.class);
      check(ranges.get(0));
      assertThat(ranges).allMatch(range -> range.getData().isDone());
      FileRange next = FileRange.createFileRange(10, 100_000);
      in.readVectored(List.of(next), ByteBuffer::allocate);
      check(next); // so lanes and memory are given back
    }
  }

  @Test
  void aFileThatIsStillWrittenIsReadAsFarAsItIs() throws Exception {
    SeededFile growing =
        new SeededFile(new Path("/vectored-growing"), SeededFile.random(BLOCK + 200_000, 5));
    Counts counts = Counts.of(mode);
    try (FSDataOutputStream out = rdio.create(growing.path(), true)) {
      out.write(growing.bytes());
      out.hflush();
      List<FileRange> ranges =
          List.of(
              FileRange.createFileRange(10, 300_000),
              FileRange.createFileRange(BLOCK - 100, 50_000),
              FileRange.createFileRange(BLOCK + 150_000, 50_000));
      try (FSDataInputStream in = rdio.open(growing.path())) {
        in.readVectored(ranges, ByteBuffer::allocate);
        for (FileRange range : ranges) {
          check(growing, range);
        }
      }
    }
    assertThat(counts.fallbacks()).containsKey(FallbackReason.FILE_UNDER_CONSTRUCTION).hasSize(1);
  }

  @Test
  void theStreamTellsOfIt() throws Exception {
    try (FSDataInputStream in = rdio.open(file.path())) {
      assertThat(in.hasCapability("in:readvectored")).isTrue();
      assertThat(in.hasCapability("fs.capability.vectoredio.sliced")).isTrue();
      assertThat(in.hasCapability("in:unbuffer")).isTrue();
    }
  }

  @Test
  void aClosedFileSystemsStreamFailsItsRanges() throws Exception {
    FileSystem other = FileSystem.newInstance(rdio.getConf());
    FSDataInputStream in = other.open(file.path());
    other.close();
    List<FileRange> ranges =
        List.of(FileRange.createFileRange(0, 10), FileRange.createFileRange(BLOCK, 10));
    in.readVectored(ranges, ByteBuffer::allocate);
    for (FileRange range : ranges) {
      assertThatThrownBy(() -> range.getData().get(1, TimeUnit.MINUTES))
          .hasCauseInstanceOf(IOException.class);
    }
  }

  private static List<FileRange> randomRanges(Random random) {
    List<FileRange> ranges = new ArrayList<>();
    int at = 0;
    while (true) {
      at += random.nextInt(random.nextBoolean() ? 2_000 : 900_000);
      int length = 1 + random.nextInt(random.nextBoolean() ? 5_000 : 1_500_000);
      if (at + length > LENGTH) {
        Collections.shuffle(ranges, random);
        return ranges;
      }
      ranges.add(FileRange.createFileRange(at, length));
      at += length;
    }
  }

  private static void check(FileRange range) throws Exception {
    check(file, range);
  }

  private static void check(SeededFile file, FileRange range) throws Exception {
    ByteBuffer bytes = range.getData().get(1, TimeUnit.MINUTES);
    byte[] got = new byte[bytes.remaining()];
    bytes.duplicate().get(got);
    assertThat(got).hasSize(range.getLength());
    file.check(range.getOffset(), got);
  }
}
