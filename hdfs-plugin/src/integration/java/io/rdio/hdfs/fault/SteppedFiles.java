// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.fault.SteppedClient.Kind;
import io.rdio.hdfs.it.Fsck;
import io.rdio.hdfs.it.Maps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * What is left of the files of runs in which somebody was killed: what was closed is whole, and
 * what was open recovers to what was promised at least, and to the blocks before the last one.
 */
final class SteppedFiles {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Cluster cluster;
  private final DistributedFileSystem stock;

  /**
   * A file that is there.
   *
   * @param least bytes that it must have
   * @param most bytes that it may have
   */
  private record Left(Path path, long least, long most) {}

  /**
   * @param stock which reads, and recovers leases
   */
  SteppedFiles(Cluster cluster, DistributedFileSystem stock) {
    this.cluster = cluster;
    this.stock = stock;
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
    }
    Map<Long, List<java.nio.file.Path>> replicas = replicas();
    for (Left file : left) {
      check(file);
      checkReplicas(file.path(), replicas);
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
      Path path = kind.in(run.folder());
      long told = promised.getOrDefault(kind, 0);
      if (stock.exists(path)) {
        boolean isClosed = kind == Kind.CLOSED && told > 0;
        long least = Math.max(told, bytesBeforeTheLastBlock(path));
        left.add(new Left(path, least, isClosed ? told : kind.length + kind.more));
      } else {
        assertThat(told).as("bytes of %s, which is not there", path).isZero();
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
    assertRight(left.path(), 0, found, "the file");
  }

  private static void assertRight(Path path, long offset, byte[] found, Object of) {
    assertThat(SoakBytes.firstWrong(SteppedClient.seed(path), offset, found))
        .as("first wrong byte of %s from %s on, in %s", path, offset, of)
        .isEqualTo(SoakBytes.ALL_RIGHT);
  }

  /** Whichever of a block's replicas is read, it has the file's bytes. */
  private void checkReplicas(Path path, Map<Long, List<java.nio.file.Path>> replicas)
      throws IOException {
    for (LocatedBlock block : Maps.blocks(stock, path)) {
      for (java.nio.file.Path replica :
          replicas.getOrDefault(block.getBlock().getBlockId(), List.of())) {
        try {
          assertRight(path, block.getStartOffset(), Files.readAllBytes(replica), replica);
        } catch (NoSuchFileException e) {
          // One that a recovery left behind, and the NameNode had deleted by now.
        }
      }
    }
  }

  /** Finalized block files of all DataNodes, by the block's number. */
  private Map<Long, List<java.nio.file.Path>> replicas() throws IOException {
    Map<Long, List<java.nio.file.Path>> found = new HashMap<>();
    for (int i = 0; i < cluster.dataNodes(); i++) {
      for (java.nio.file.Path file : Maps.blockFiles(cluster.volume(i).mountPoint())) {
        long block = Long.parseLong(file.getFileName().toString().substring("blk_".length()));
        found.computeIfAbsent(block, key -> new ArrayList<>()).add(file);
      }
    }
    return found;
  }
}
