// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;

/**
 * What is left of the files of runs in which somebody was killed: what was closed is whole, and
 * what was open recovers to what was promised at least, and to the blocks before the last one.
 */
final class SteppedFiles {
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Cluster cluster;
  private final DistributedFileSystem stock;
  private final Blocks blocks;

  /** How files lie on their blocks. */
  interface Blocks {
    /** Bytes that recovery may make of so many that were written: those behind them are zeros. */
    long most(long written);

    /** Whether the NameNode knows of all that there is to be of one of a file's blocks. */
    boolean isWhole(LocatedBlock block);

    /** The numbers of what DataNodes have of one of a file's blocks. */
    List<Long> numbers(LocatedBlock block);

    /**
     * The first bytes of that.
     *
     * @param number one of {@link #numbers}
     */
    byte[] expected(Written file, LocatedBlock block, long number, int length) throws IOException;
  }

  /**
   * What a client wrote.
   *
   * @param length bytes that it had written when it came to its end
   */
  record Written(Path path, long length) {
    /** A part of it, and of the zeros behind it. */
    byte[] content(long at, int count) {
      byte[] bytes = SoakBytes.of(SteppedClient.seed(path), at, count);
      int there = (int) Math.max(0, Math.min(count, length - at));
      Arrays.fill(bytes, there, count, (byte) 0);
      return bytes;
    }
  }

  /**
   * A file that is there.
   *
   * @param least bytes that it must have
   * @param most bytes that it may have
   */
  private record Left(Written written, long least, long most) {
    Path path() {
      return written.path();
    }
  }

  /**
   * @param stock which reads, and recovers leases
   */
  SteppedFiles(Cluster cluster, DistributedFileSystem stock, Blocks blocks) {
    this.cluster = cluster;
    this.stock = stock;
    this.blocks = blocks;
  }

  /** Looks at the files of runs that have ended, has {@code fsck} look, too, and deletes them. */
  void checkAndDelete(List<SteppedRun> runs) throws Exception {
    List<Left> left = new ArrayList<>();
    for (SteppedRun run : runs) {
      left.addAll(leftOf(run));
    }
    for (Left file : left) {
      stock.recoverLease(file.path()); // all of them at once
    }
    for (Left file : left) {
      await("recovery of " + file.path())
          .atMost(PATIENCE)
          .until(() -> stock.recoverLease(file.path()));
      check(file);
    }
    for (Left file : left) {
      await("all blocks of " + file.path()).atMost(PATIENCE).until(() -> isWhole(file.path()));
    }
    Map<Long, List<java.nio.file.Path>> files = blockFiles();
    for (Left file : left) {
      checkBlocks(file, files);
    }
    assertThat(Fsck.ofAllFiles(cluster.clientConf(false))).contains("is HEALTHY");
    for (SteppedRun run : runs) {
      stock.delete(new Path(run.folder()), true);
    }
  }

  private List<Left> leftOf(SteppedRun run) throws IOException {
    List<Left> left = new ArrayList<>();
    Map<Kind, Integer> promised = run.promised();
    for (Kind kind : run.kinds()) {
      Written written = new Written(kind.in(run.folder()), kind.written(run.shape()));
      long told = promised.getOrDefault(kind, 0);
      if (stock.exists(written.path())) {
        boolean isClosed = kind == Kind.CLOSED && told > 0;
        long least = Math.max(told, bytesBeforeTheLastBlock(written.path()));
        left.add(new Left(written, least, isClosed ? told : blocks.most(written.length())));
      } else {
        assertThat(told).as("bytes of %s, which is not there", written.path()).isZero();
      }
    }
    return left;
  }

  /** As the NameNode has it, before a recovery: of a file that is closed all of it. */
  private long bytesBeforeTheLastBlock(Path path) throws IOException {
    return stock.getClient().getLocatedBlocks(path.toString(), 0).getFileLength();
  }

  private void check(Left left) throws IOException {
    byte[] found;
    try (FSDataInputStream in = stock.open(left.path())) {
      found = in.readAllBytes();
    }
    assertThat((long) found.length)
        .as("length of %s", left.path())
        .isBetween(left.least(), left.most());
    assertSame(found, left.written().content(0, found.length), left.path());
  }

  private static void assertSame(byte[] found, byte[] expected, Object of) {
    assertThat(Arrays.mismatch(found, expected)).as("first wrong byte of %s", of).isEqualTo(-1);
  }

  private boolean isWhole(Path path) throws IOException {
    for (LocatedBlock block : Maps.blocks(stock, path)) {
      if (!blocks.isWhole(block)) {
        return false;
      }
    }
    return true;
  }

  /** Whatever any DataNode has of a file's blocks, it has the right bytes, and their CRCs. */
  private void checkBlocks(Left left, Map<Long, List<java.nio.file.Path>> files)
      throws IOException {
    for (LocatedBlock block : Maps.blocks(stock, left.path())) {
      for (long number : blocks.numbers(block)) {
        for (java.nio.file.Path file : files.getOrDefault(number, List.of())) {
          try {
            byte[] found = Files.readAllBytes(file);
            byte[] expected = blocks.expected(left.written(), block, number, found.length);
            assertSame(found, expected, file + " of " + left.path());
            checkSums(file, found);
          } catch (NoSuchFileException e) {
            // One that a recovery left behind, and the NameNode had deleted by now.
          }
        }
      }
    }
  }

  private static void checkSums(java.nio.file.Path file, byte[] bytes) throws IOException {
    int checked = 0;
    try (DirectoryStream<java.nio.file.Path> metas =
        Files.newDirectoryStream(file.resolveSibling("."), file.getFileName() + "_*.meta")) {
      for (java.nio.file.Path meta : metas) {
        try (DataInputStream in = new DataInputStream(Files.newInputStream(meta))) {
          DataChecksum sums = BlockMetadataHeader.readHeader(in).getChecksum();
          sums.verifyChunkedSums(
              ByteBuffer.wrap(bytes), ByteBuffer.wrap(in.readAllBytes()), meta.toString(), 0);
        }
        checked++;
      }
    }
    // A DataNode deletes a block before its CRCs.
    assertThat(checked > 0 || Files.notExists(file)).as("CRCs of %s", file).isTrue();
  }

  /** Finalized block files of all DataNodes, by the block's number. */
  private Map<Long, List<java.nio.file.Path>> blockFiles() throws IOException {
    Map<Long, List<java.nio.file.Path>> found = new HashMap<>();
    for (int i = 0; i < cluster.dataNodes(); i++) {
      for (java.nio.file.Path file : Maps.blockFiles(cluster.volume(i).mountPoint())) {
        long number = Long.parseLong(file.getFileName().toString().substring("blk_".length()));
        found.computeIfAbsent(number, key -> new ArrayList<>()).add(file);
      }
    }
    return found;
  }
}
