// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdio.core.testing.LoopFileSystem;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two block pools on one DataNode, whose blocks have the same numbers. */
@Tag("loop")
final class FederationIT {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int LENGTH = 9_000_123;

  @TempDir Path nameDirectory;

  @Test
  @SuppressWarnings("try") // the context is kept in use
  void poolsAreToldApart() throws Exception {
    try (LoopFileSystem volume = LoopFileSystem.create("ext4", 400L << 20, List.of(), "defaults");
        FederatedHdfs hdfs = new FederatedHdfs(volume, nameDirectory);
        DistributedFileSystem stockOne = hdfs.stock(0);
        DistributedFileSystem stockTwo = hdfs.stock(1);
        DistributedFileSystem one = hdfs.rdio(0);
        DistributedFileSystem two = hdfs.rdio(1);
        RdioClientContext context = RdioClientContext.get(one.getConf())) {
      SeededFile ofOne = SeededFile.write(stockOne, "/file", LENGTH, 1);
      SeededFile ofTwo = SeededFile.write(stockTwo, "/file", LENGTH, 2);
      assertSameNumbers(Maps.blocks(one, ofOne.path()), Maps.blocks(two, ofTwo.path()));

      Counts counts = Counts.now();
      read(one, ofOne);
      read(two, ofTwo);
      read(one, ofOne);
      counts.assertNoFallback();
      assertThat(pinsOf(hdfs.poolId(0), volume)).isEqualTo(6);
      assertThat(pinsOf(hdfs.poolId(1), volume)).isEqualTo(6);
      long maps = RdioClientContext.counters().mapMisses.sum();

      stockOne.delete(ofOne.path(), false);
      await().atMost(PATIENCE).until(() -> pinsOf(hdfs.poolId(0), volume) == 0);
      assertThat(pinsOf(hdfs.poolId(1), volume)).isEqualTo(6);
      read(two, ofTwo);
      counts.assertNoFallback();
      assertThat(RdioClientContext.counters().mapMisses.sum())
          .as("the other pool's maps stay")
          .isEqualTo(maps);
      assertThat(two.exists(ofTwo.path())).isTrue();
      assertThat(one.exists(ofOne.path())).isFalse();
    }
  }

  private static void assertSameNumbers(List<LocatedBlock> left, List<LocatedBlock> right) {
    assertThat(left).hasSameSizeAs(right);
    for (int i = 0; i < left.size(); i++) {
      ExtendedBlock a = left.get(i).getBlock();
      ExtendedBlock b = right.get(i).getBlock();
      assertThat(a.getLocalBlock()).isEqualTo(b.getLocalBlock());
      assertThat(a.getGenerationStamp()).isEqualTo(b.getGenerationStamp());
      assertThat(a.getBlockPoolId()).isNotEqualTo(b.getBlockPoolId());
    }
  }

  private static void read(FileSystem fs, SeededFile file) throws IOException {
    try (FSDataInputStream in = fs.open(file.path())) {
      file.check(0, in.readNBytes(file.bytes().length));
    }
  }

  private static long pinsOf(String poolId, LoopFileSystem volume) throws IOException {
    return Maps.pinFiles(volume.mountPoint()).stream()
        .filter(pin -> pin.getFileName().toString().startsWith(poolId))
        .count();
  }
}
