// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdio.core.FallbackReason;
import io.rdio.hdfs.client.locate.SmallCluster;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSStripedOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.StripedDataStreamer;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Erasure-coded files at a real NameNode, of groups that come to real DataNodes past their data
 * transfer. What is the same for files of replicas is in {@link RdioOutputStreamTest}.
 */
@Timeout(180)
final class StripedOutputStreamTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int CELL = ClusterBlocks.POLICY.getCellSize();
  private static final int GROUP =
      SmallCluster.BLOCK_BYTES * ClusterBlocks.POLICY.getNumDataUnits();
  private static final int SMALL = 64 << 10;

  /** More than is kept of a group before it is begun. */
  private static final int BEGUN = GROUP / 2 + SMALL;

  /** One more than a group has blocks. */
  private static final int DATA_NODES = 6;

  private static final byte[] BYTES = new byte[3 * GROUP];
  private static final Path FOLDER = new Path("/coded");

  @TempDir static java.nio.file.Path folder;
  private static SmallCluster cluster;
  private static int files;

  private final WriteCounters counters = new WriteCounters();
  private Path path;
  private WrittenFile file;
  private ClusterBlocks remote;
  private DistributedFileSystem fs;
  private NewFiles newFiles;

  @BeforeAll
  static void start() throws IOException {
    new Random(1).nextBytes(BYTES);
    cluster = new SmallCluster(folder, DATA_NODES);
    await().atMost(PATIENCE).until(cluster::isUp);
    try (DistributedFileSystem admin = SmallCluster.open(cluster.conf())) {
      String policy = ClusterBlocks.POLICY.getName();
      admin.enableErasureCodingPolicy(policy);
      admin.mkdirs(FOLDER);
      admin.setErasureCodingPolicy(FOLDER, policy);
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void open() throws IOException {
    path = new Path(FOLDER, "file" + files++);
    Configuration conf = cluster.conf();
    conf.set("dfs.client.rdio.write", "auto");
    conf.set("dfs.client.rdio.write.parity", "immediate");
    conf.set("dfs.client.rdio.write.small", Integer.toString(SMALL));
    fs = SmallCluster.open(conf);
    file = new WrittenFile(fs, path, BYTES);
    remote = new ClusterBlocks(cluster, DATA_NODES);
    newFiles = Objects.requireNonNull(NewFiles.of(conf, remote, counters));
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .as("threads of stock HDFS")
        .noneMatch(StripedDataStreamer.class::isInstance);
  }

  private FSDataOutputStream create() throws IOException {
    FSDataOutputStream stock = fs.create(path);
    assertThat(stock.getWrappedStream()).isInstanceOf(DFSStripedOutputStream.class);
    FSDataOutputStream out =
        newFiles.created(path.toString(), EnumSet.of(CreateFlag.CREATE), stock, null);
    assertThat(out.getWrappedStream()).isInstanceOf(RdioOutputStream.class);
    return out;
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        SMALL,
        SMALL + 1,
        (1 << 20) - 1,
        (1 << 20) + 1,
        (3 << 20) - 1,
        3 << 20,
        (3 << 20) + 1,
        (7 << 20) + 511
      })
  void fileIsAsAnyOther(int length) throws Exception {
    FSDataOutputStream out = create();
    assertThat(file.openFiles()).isEqualTo(1);
    assertThat(fs.getClient().renewLease()).isTrue();
    out.write(BYTES, 0, length);
    assertThat(out.getPos()).isEqualTo(length);
    out.close();
    out.close();

    assertThat(file.openFiles()).isZero();
    assertThat(fs.isFileClosed(path)).isTrue();
    file.assertContent(length);
    assertThat(fs.getFileStatus(path).getLen()).isEqualTo(length);
    assertThat(counters.bytes.sum()).isEqualTo(length);
    assertThat(counters.blocks.sum()).isEqualTo(file.blockLengths().length);
    assertThat(counters.missedReplicas.sum()).isZero();
  }

  @Test
  void pieceByPieceItIsTheSame() throws Exception {
    Random sizes = new Random(2);
    int length = 0;
    try (FSDataOutputStream out = create()) {
      while (length < 2 * GROUP) {
        int count = 1 + sizes.nextInt(sizes.nextInt(10) == 0 ? 400_000 : 100);
        out.write(BYTES, length, count);
        out.write(BYTES[length + count]);
        length += count + 1;
      }
    }
    file.assertContent(length);
    assertThat(counters.bytes.sum()).isEqualTo(length);
  }

  /** Which stock HDFS offers of no erasure-coded file. */
  @Test
  void flushDoesNothing() throws Exception {
    try (FSDataOutputStream out = create()) {
      assertThat(out).isInstanceOf(HdfsDataOutputStream.class);
      assertThat(out.hasCapability("hflush")).isFalse();
      out.write(BYTES, 0, CELL);
      out.hflush();
      out.hsync();
      out.setDropBehind(true);
      out.write(BYTES, CELL, CELL);
    }
    file.assertContent(2 * CELL);
    assertThat(file.blockLengths()).containsExactly(2L * CELL);
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, SMALL - 1})
  void smallFileIsStocks(int length) throws Exception {
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, length);
    }
    file.assertContent(length);
    assertThat(file.openFiles()).isZero();
    assertThat(counters.blocks.sum()).isZero();
    assertThat(counters.fallbacks(FallbackReason.FILE_SMALL)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {2 * (3 << 20) + 1, 2 * (3 << 20) + (2 << 20) + 5, 3 * (3 << 20)})
  void stockGoesOnBehindTheLastGroupOfTheAgent(int length) throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, GROUP + BEGUN);
    remote.refuses = true;
    out.write(BYTES, GROUP + BEGUN, length - GROUP - BEGUN);
    assertThat(file.openFiles()).isEqualTo(1);
    out.close();
    assertThat(file.openFiles()).isZero();
    file.assertContent(length);
    assertThat(file.blockLengths()).containsExactly(GROUP, GROUP, length - 2L * GROUP);
    assertThat(counters.blocks.sum()).isEqualTo(2);
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(1);
  }

  @Test
  void stockWritesAllWhereTheFirstGroupIsRefused() throws Exception {
    remote.refuses = true;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, 100);
      out.write(BYTES, 100, GROUP);
      out.write(BYTES, GROUP + 100, 3);
    }
    file.assertContent(GROUP + 103);
    assertThat(counters.blocks.sum()).isZero();
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(1);
  }

  /**
   * More of its targets have begun it than it has parity: stock HDFS fails where they still have.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void stockWritesTheGroupThatATargetRefuses(int groups) throws Exception {
    int written = groups * GROUP + SMALL;
    int length = (groups + 1) * GROUP;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, written);
      remote.refusedTargets.set(1);
      out.write(BYTES, written, length - written);
    }
    assertStocksFrom(groups, length, FallbackReason.SLOTS_EXHAUSTED);
  }

  /** On all its targets, so that no byte of it is missing there. */
  private void assertStocksFrom(int groups, int length, FallbackReason why) throws IOException {
    file.assertContent(length);
    assertThat(file.openFiles()).isZero();
    assertThat(counters.blocks.sum()).isEqualTo(groups);
    assertThat(counters.lostBlocks.sum()).isZero();
    assertThat(remote.asked).hasSize(groups + 1);
    assertThat(counters.fallbacks(why)).isEqualTo(1);
    await().atMost(PATIENCE).until(this::isOnAllTargets);
  }

  private boolean isOnAllTargets() throws IOException {
    int units = ClusterBlocks.POLICY.getNumDataUnits() + ClusterBlocks.POLICY.getNumParityUnits();
    return file.blocks().stream().allMatch(group -> group.getLocations().length == units);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void stockWritesTheGroupThatTheAgentDiesWith(int groups) throws Exception {
    int written = groups * GROUP + SMALL;
    int length = (groups + 1) * GROUP;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, written);
      remote.lostGroups.set(1);
      out.write(BYTES, written, length - written);
    }
    assertStocksFrom(groups, length, FallbackReason.AGENT_UNAVAILABLE);
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, 2 * (1 << 20) + 7, (3 << 20) + SMALL})
  void stockWritesWhatIsRefusedAsTheFileIsClosed(int length) throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, length - 1);
    remote.refusedTargets.set(Integer.MAX_VALUE);
    out.write(BYTES[length - 1]);
    out.close();
    file.assertContent(length);
    assertThat(file.openFiles()).isZero();
    assertThat(counters.lostBlocks.sum()).isZero();
  }

  @Test
  void filesAreWrittenWhereATargetAlwaysRefuses() throws Exception {
    remote.refusedTargets.set(Integer.MAX_VALUE);
    for (int i = 0; i < 3; i++) {
      // Or it would not even be tried: a refusal is remembered for a moment.
      newFiles = Objects.requireNonNull(NewFiles.of(fs.getConf(), remote, counters));
      path = new Path(FOLDER, "refused" + i);
      file = new WrittenFile(fs, path, BYTES);
      try (FSDataOutputStream out = create()) {
        out.write(BYTES, 0, GROUP + i * CELL + 3);
      }
      file.assertContent(GROUP + i * CELL + 3);
    }
    assertThat(remote.asked).hasSize(3);
    assertThat(counters.fallbacks(FallbackReason.SLOTS_EXHAUSTED)).isEqualTo(3);
    assertThat(counters.lostBlocks.sum()).isZero();
  }

  /** Its blocks of the group are missing, and it refuses the next one. */
  @Test
  void dataNodeThatDiesInMidGroupCostsNoFile() throws Exception {
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, BEGUN);
      remote.bits = 0b11110;
      out.write(BYTES, BEGUN, GROUP + SMALL - BEGUN);
      remote.refusedTargets.set(1);
      out.write(BYTES, GROUP + SMALL, 2 * GROUP - SMALL);
    }
    file.assertContent(3 * GROUP);
    assertThat(counters.blocks.sum()).isEqualTo(1);
    assertThat(counters.missedReplicas.sum()).isEqualTo(1);
  }

  @Test
  void stockWritesAllUnlessParityIsAskedFor() throws Exception {
    Configuration conf = new Configuration(fs.getConf());
    conf.unset("dfs.client.rdio.write.parity");
    NewFiles without = Objects.requireNonNull(NewFiles.of(conf, remote, counters));
    FSDataOutputStream stock = fs.create(path);
    FSDataOutputStream out =
        without.created(path.toString(), EnumSet.of(CreateFlag.CREATE), stock, null);
    assertThat(out.getWrappedStream()).isInstanceOf(DFSStripedOutputStream.class);
    out.close();
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isEqualTo(1);
  }

  @Test
  void streamWhoseAgentDiedFailsAndKeepsWhatWasCommitted() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, GROUP + BEGUN); // by when the first one is committed
    remote.dead = true;
    assertThatThrownBy(() -> out.write(BYTES, 0, GROUP))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("AGENT_UNAVAILABLE");
    assertThatThrownBy(() -> out.write(BYTES, 0, GROUP))
        .hasMessageContaining("an earlier call failed");
    assertThat(remote.aborted).hasValue(1);
    assertThatThrownBy(out::close).hasMessageContaining("an earlier call failed");
    assertThat(file.openFiles()).isZero();

    await().atMost(PATIENCE).until(() -> fs.recoverLease(path));
    file.assertContent(GROUP);
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0b11100, 0b10011, 0b01110})
  void blocksThatAreMissingAreMadeOfTheOthers(long bits) throws Exception {
    remote.bits = bits;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, GROUP + 2 * CELL + 1);
    }
    file.assertContent(GROUP + 2 * CELL + 1);
    assertThat(counters.missedReplicas.sum()).isEqualTo(4);
  }

  @Test
  void groupOfTooFewBlocksIsLost() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, SMALL);
    remote.bits = 0b10001;
    assertThatThrownBy(out::close).hasMessageContaining("2 of 5 replicas");
    assertThat(file.openFiles()).isZero();
    assertThat(fs.isFileClosed(path)).isFalse();
  }

  @Test
  void fileSystemThatIsClosedCompletesItsFiles() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, GROUP + 77);
    fs.close();
    assertThatThrownBy(() -> out.write(BYTES, 0, 9)).isInstanceOf(ClosedChannelException.class);
    fs = SmallCluster.open(cluster.conf());
    file = new WrittenFile(fs, path, BYTES);
    assertThat(fs.isFileClosed(path)).isTrue();
    file.assertContent(GROUP + 77);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leaseThatIsLostEndsTheStream(boolean isStocks) throws Exception {
    FSDataOutputStream out = create();
    remote.refuses = isStocks;
    out.write(BYTES, 0, BEGUN);
    fs.getClient().closeAllFilesBeingWritten(true);
    assertThat(remote.aborted).hasValue(isStocks ? 0 : 1);
    assertThatThrownBy(() -> out.write(BYTES, 0, SMALL)).isInstanceOf(IOException.class);
    assertThatThrownBy(out::close).hasMessageContaining("Lease timeout");
    assertThat(file.openFiles()).isZero();
  }

  @Test
  void closedStreamTakesNothing() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, SMALL);
    out.close();
    assertThatThrownBy(() -> out.write(BYTES, 0, 10)).isInstanceOf(ClosedChannelException.class);
  }
}
