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
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.DSQuotaExceededException;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files at a real NameNode, of blocks that come to real DataNodes past their data transfer. */
@Timeout(180)
final class RdioOutputStreamTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int BLOCK = SmallCluster.BLOCK_BYTES;
  private static final int SMALL = 64 << 10;

  /** Bytes by which a block is begun that may have more. */
  private static final int BEGUN = BLOCK / 2 + 1;

  private static final int DATA_NODES = 2;
  private static final byte[] BYTES = new byte[3 * BLOCK];

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
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void open() throws IOException {
    path = new Path("/written/file" + files++);
    Configuration conf = cluster.conf();
    conf.set("dfs.client.rdio.write", "auto");
    conf.set("dfs.client.rdio.write.small", Integer.toString(SMALL));
    fs = SmallCluster.open(conf);
    file = new WrittenFile(fs, path, BYTES);
    remote = new ClusterBlocks(cluster, DATA_NODES);
    newFiles = Objects.requireNonNull(NewFiles.of(conf, remote, counters));
  }

  @AfterEach
  void close() throws IOException {
    fs.close();
  }

  private FSDataOutputStream create(CreateFlag... flags) throws IOException {
    EnumSet<CreateFlag> all = EnumSet.of(CreateFlag.CREATE, flags);
    FSDataOutputStream stock =
        fs.create(
            path,
            FsPermission.getFileDefault(),
            all,
            4096,
            fs.getDefaultReplication(path),
            BLOCK,
            null,
            null);
    return newFiles.created(path.toString(), all, stock, null);
  }

  private static void assertByRdio(FSDataOutputStream out) {
    assertThat(out.getWrappedStream()).isInstanceOf(RdioOutputStream.class);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {SMALL, SMALL + 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + SMALL + 511})
  void fileIsAsAnyOther(int length) throws Exception {
    FSDataOutputStream out = create();
    assertByRdio(out);
    assertThat(file.openFiles()).isEqualTo(1);
    assertThat(fs.getClient().renewLease()).isTrue();
    out.write(BYTES, 0, length);
    assertThat(out.getPos()).isEqualTo(length);
    out.close();
    out.close();

    assertThat(file.openFiles()).isZero();
    assertThat(fs.isFileClosed(path)).isTrue();
    file.assertContent(length);
    assertThat(counters.bytes.sum()).isEqualTo(length);
    assertThat(counters.blocks.sum()).isEqualTo(file.blockLengths().length);
    assertThat(counters.allocateNanos.sum()).isPositive();
    assertThat(counters.handOverNanos.sum()).isPositive();
    assertThat(counters.commitNanos.sum()).isPositive();
    assertThat(fs.getFileChecksum(path)).isNotNull();
    try (FSDataOutputStream more = fs.append(path)) {
      more.write(BYTES, length, 7);
    }
    file.assertContent(length + 7);
  }

  @Test
  void pieceByPieceItIsTheSame() throws Exception {
    Random sizes = new Random(2);
    int length = 0;
    try (FSDataOutputStream out = create()) {
      while (length < 2 * BLOCK) {
        int count = 1 + sizes.nextInt(sizes.nextInt(10) == 0 ? 200_000 : 100);
        out.write(BYTES, length, count);
        out.write(BYTES[length + count]);
        length += count + 1;
      }
    }
    file.assertContent(length);
    assertThat(counters.bytes.sum()).isEqualTo(length);
  }

  @Test
  void usersSeeAStreamOfHdfs() throws Exception {
    try (FSDataOutputStream out = create()) {
      assertThat(out).isInstanceOf(HdfsDataOutputStream.class);
      assertThat(out.getWrappedStream()).isInstanceOf(DFSOutputStream.class);
      assertThat(out.hasCapability("hflush")).isTrue();
      assertThat(((HdfsDataOutputStream) out).getCurrentBlockReplication()).isEqualTo(DATA_NODES);
      out.setDropBehind(true);
      out.write(BYTES, 0, BLOCK);
    }
    file.assertContent(BLOCK);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, SMALL - 1})
  void smallFileIsStocks(int length) throws Exception {
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, length);
    }
    file.assertContent(length);
    assertThat(counters.blocks.sum()).isZero();
    assertThat(counters.allocateNanos.sum()).isZero();
    assertThat(counters.fallbacks(FallbackReason.FILE_SMALL)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, SMALL + 3, BLOCK, BLOCK + SMALL + 1})
  void flushedBytesAreSeenAndTheRestIsStocks(int flushed) throws Exception {
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, flushed);
      out.hflush();
      file.assertContent(flushed);
      out.write(BYTES, flushed, BLOCK);
      out.hsync();
      file.assertContent(flushed + BLOCK);
      out.write(BYTES, flushed + BLOCK, 5);
    }
    file.assertContent(flushed + BLOCK + 5);
    assertThat(counters.bytes.sum()).isEqualTo(flushed < SMALL ? 0 : flushed);
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isEqualTo(1);
    assertThat(counters.fallbacks(FallbackReason.FILE_SMALL)).isZero();
  }

  @Test
  void nameNodeHearsHowLongAFlushedFileIs() throws Exception {
    HdfsDataOutputStream out = (HdfsDataOutputStream) create();
    out.write(BYTES, 0, BLOCK + SMALL);
    out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
    assertThat(fs.getFileStatus(path).getLen()).isEqualTo(BLOCK + SMALL);
    out.close();
    assertThat(file.blockLengths()).containsExactly(BLOCK, SMALL);
  }

  @Test
  void flushedFileOfAWriterThatDiedKeepsWhatWasFlushed() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, SMALL + 5);
    out.hflush();
    try (DistributedFileSystem other = SmallCluster.open(cluster.conf())) {
      await().atMost(PATIENCE).until(() -> other.recoverLease(path));
    }
    file.assertContent(SMALL + 5);
    assertThat(fs.getFileStatus(path).getLen()).isEqualTo(SMALL + 5);
    assertThatThrownBy(
            () -> {
              out.write(BYTES, 0, BLOCK);
              out.close();
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void stockGoesOnBehindTheLastBlockOfTheAgent() throws Exception {
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, BLOCK + BEGUN);
      remote.refuses = true;
      out.write(BYTES, BLOCK + BEGUN, 2 * BLOCK - BEGUN - 10);
    }
    file.assertContent(3 * BLOCK - 10);
    assertThat(file.blockLengths()).containsExactly(BLOCK, BLOCK, BLOCK - 10);
    assertThat(counters.blocks.sum()).isEqualTo(2);
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(1);
  }

  @Test
  void stockWritesAllWhereTheFirstBlockIsRefused() throws Exception {
    remote.refuses = true;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, 100);
      out.write(BYTES, 100, BLOCK);
      out.write(BYTES, BLOCK + 100, 3);
    }
    file.assertContent(BLOCK + 103);
    assertThat(counters.blocks.sum()).isZero();
    try (FSDataOutputStream next = createOther()) {
      assertThat(next.getWrappedStream().getClass()).isEqualTo(DFSOutputStream.class);
    }
    assertThat(counters.fallbacks(FallbackReason.AGENT_BUSY)).isEqualTo(2);
  }

  private FSDataOutputStream createOther() throws IOException {
    Path other = path.suffix("-other");
    return newFiles.created(
        other.toString(), EnumSet.of(CreateFlag.CREATE), fs.create(other), null);
  }

  @Test
  void streamWhoseAgentDiedFailsAndKeepsWhatWasCommitted() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, BLOCK + BEGUN);
    remote.dead = true;
    assertThatThrownBy(() -> out.write(BYTES, 0, BLOCK))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("AGENT_UNAVAILABLE");
    assertThatThrownBy(() -> out.write(BYTES, 0, BLOCK)).hasMessageContaining("is lost");
    assertThatThrownBy(out::hflush).isInstanceOf(IOException.class);
    assertThat(remote.aborted).hasValue(1);
    assertThatThrownBy(out::close).hasMessageContaining("is lost");
    assertThat(file.openFiles()).isZero();

    await().atMost(PATIENCE).until(() -> fs.recoverLease(path));
    file.assertContent(BLOCK);
    assertThat(counters.lostBlocks.sum()).isEqualTo(1);
  }

  /** Java adds what close throws to it, and cannot add an exception to itself. */
  @Test
  void writerThatClosesInPassingHearsWhatWriteThrew() {
    assertThatThrownBy(
            () -> {
              try (FSDataOutputStream out = create()) {
                out.write(BYTES, 0, BLOCK + SMALL);
                remote.dead = true;
                out.write(BYTES, 0, BLOCK);
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("AGENT_UNAVAILABLE")
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).hasSize(1));
  }

  @Test
  void closeSaysThatTheLastBlockIsLost() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, BEGUN);
    remote.dead = true;
    assertThatThrownBy(out::close).hasMessageContaining("is lost as it was to be committed");
    assertThat(file.openFiles()).isZero();
    assertThat(fs.isFileClosed(path)).isFalse();
  }

  @Test
  void replicaThatIsMissingIsMadeByTheNameNode() throws Exception {
    remote.bits = 0b01;
    try (FSDataOutputStream out = create()) {
      out.write(BYTES, 0, BLOCK);
    }
    file.assertContent(BLOCK);
    assertThat(counters.missedReplicas.sum()).isEqualTo(1);
  }

  @Test
  void fileSystemThatIsClosedCompletesItsFiles() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, BLOCK + 77);
    fs.close();
    assertThatThrownBy(() -> out.write(BYTES, 0, 9)).isInstanceOf(ClosedChannelException.class);
    fs = SmallCluster.open(cluster.conf());
    file = new WrittenFile(fs, path, BYTES);
    assertThat(fs.isFileClosed(path)).isTrue();
    file.assertContent(BLOCK + 77);
  }

  @Test
  void leaseThatIsLostEndsTheBlock() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, BEGUN);
    fs.getClient().closeAllFilesBeingWritten(true);
    assertThat(remote.aborted).hasValue(1);
    assertThatThrownBy(() -> out.write(BYTES, 0, 9)).hasMessageContaining("Lease timeout");
    assertThatThrownBy(out::close).hasMessageContaining("Lease timeout");
    assertThat(counters.blocks.sum()).isZero();
  }

  @Test
  void quotaIsTheWritersToHearAndItsFileIsClosed() throws Exception {
    fs.mkdirs(path.getParent());
    FSDataOutputStream out = create();
    out.write(BYTES, 0, BLOCK);
    fs.setQuota(path.getParent(), HdfsConstants.QUOTA_DONT_SET, 1);
    try {
      assertThatThrownBy(() -> out.write(BYTES, 0, BLOCK))
          .isInstanceOf(DSQuotaExceededException.class);
      assertThatThrownBy(out::close)
          .isInstanceOf(DSQuotaExceededException.class)
          .hasCauseInstanceOf(DSQuotaExceededException.class); // which write threw
    } finally {
      fs.setQuota(path.getParent(), HdfsConstants.QUOTA_RESET, HdfsConstants.QUOTA_RESET);
    }
    assertThat(fs.isFileClosed(path)).isTrue();
    file.assertContent(BLOCK);
  }

  @Test
  void createIsStocks() throws Exception {
    create().close();
    assertThatThrownBy(this::create).isInstanceOf(FileAlreadyExistsException.class);
    assertThat(fs.getFileStatus(path).getPermission())
        .isEqualTo(FsPermission.getFileDefault().applyUMask(FsPermission.getUMask(fs.getConf())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SYNC_BLOCK", "LAZY_PERSIST"})
  void flagsThatOnlyStockHasAreStocks(CreateFlag flag) throws Exception {
    try (FSDataOutputStream out = create(flag)) {
      assertThat(out.getWrappedStream().getClass()).isEqualTo(DFSOutputStream.class);
    }
    assertThat(counters.fallbacks(FallbackReason.WRITE_UNSUPPORTED)).isEqualTo(1);
  }

  @Test
  void closedStreamTakesNothing() throws Exception {
    FSDataOutputStream out = create();
    out.write(BYTES, 0, SMALL);
    out.close();
    assertThatThrownBy(() -> out.write(BYTES, 0, 10)).isInstanceOf(ClosedChannelException.class);
    assertThatThrownBy(out::hflush).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void wrongRangesAreRefusedAsStockRefusesThem() throws Exception {
    try (FSDataOutputStream out = create()) {
      assertThatThrownBy(() -> out.write(BYTES, 1, BYTES.length))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> out.write(BYTES, -1, 5))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    file.assertContent(0);
  }
}
