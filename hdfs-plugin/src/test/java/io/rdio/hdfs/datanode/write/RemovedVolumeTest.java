// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.allocate.NewReplica;
import io.rdio.datanode.allocate.RbwReplica;
import io.rdio.datanode.volume.Replica;
import io.rdio.hdfs.client.locate.SmallCluster;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.ReconfigurationException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real DataNode says of replicas whose volume it is told to take out, and to put back. */
final class RemovedVolumeTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int LENGTH = 300_777;
  private static final int CHUNK = 512;

  @TempDir Path folder;
  private final byte[] content = new byte[LENGTH];
  private SmallCluster cluster;
  private DistributedFileSystem fs;
  private HadoopReplicaWriter writer;

  /** A file of one block, of which the DataNode has begun a replica. */
  private final class Begun {
    final NewFile file;
    final LocatedBlock located;
    final BlockKey block;
    final RbwReplica rbw;

    Begun(String name) throws Exception {
      file = NewFile.create(fs, name, SmallCluster.BLOCK_BYTES);
      located = file.addBlock(null);
      block = NewFile.key(located);
      rbw =
          writer.create(
              new NewReplica(
                  block,
                  located.getStorageIDs()[0],
                  SmallCluster.BLOCK_BYTES,
                  ChecksumSpec.Type.CRC32C,
                  CHUNK));
    }

    byte[] sums() {
      DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);
      byte[] sums = new byte[checksum.getChecksumSize(LENGTH)];
      checksum.calculateChunkedSums(content, 0, LENGTH, sums, 0);
      return sums;
    }

    boolean isPutInPlace() throws IOException {
      byte[] sums = sums();
      Files.write(rbw.metaFile(), sums, StandardOpenOption.APPEND);
      Path slot = rbw.storage().volumeRoot().resolve("slot" + block.blockId());
      Files.write(slot, content);
      return writer.putInPlace(
          rbw,
          LENGTH,
          Arrays.copyOfRange(sums, sums.length - ChecksumSpec.CRC_BYTES, sums.length),
          () ->
              Files.move(
                  slot,
                  rbw.blockFile(),
                  StandardCopyOption.ATOMIC_MOVE,
                  StandardCopyOption.REPLACE_EXISTING));
    }

    ExtendedBlock written() {
      ExtendedBlock written = new ExtendedBlock(located.getBlock());
      written.setNumBytes(LENGTH);
      return written;
    }
  }

  @BeforeEach
  void start() throws IOException {
    new Random(1).nextBytes(content);
    cluster = new SmallCluster(folder, 1);
    await().atMost(PATIENCE).until(cluster::isUp);
    fs = SmallCluster.open(cluster.conf());
    writer =
        new HadoopReplicaWriter(
            cluster.dataNode(0), new DataNodeReplicas(cluster.dataNode(0), null));
  }

  @AfterEach
  void stop() throws IOException {
    fs.close();
    cluster.close();
  }

  /**
   * Has the DataNode use a folder, and no other one.
   *
   * @param name of one below the test's
   */
  private void use(String name) throws ReconfigurationException {
    cluster
        .dataNode(0)
        .reconfigurePropertyImpl(
            DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, folder.resolve(name).toUri().toString());
  }

  @Test
  void replicaThatIsBegunGoesWithItsVolume() throws Exception {
    Begun begun = new Begun("/begun");
    Begun claimed = new Begun("/claimed");
    assertThat(writer.claim(claimed.rbw)).isTrue();

    use("other");

    assertThat(writer.storages()).doesNotContain(begun.rbw.storage()).hasSize(1);
    assertThat(writer.isThere(begun.rbw)).isFalse();
    assertThat(writer.claim(begun.rbw)).isFalse();
    writer.invalidate(begun.rbw); // or it would be tried again for ever
    assertThat(begun.rbw.metaFile()).as("not HDFS's by now").exists();
    assertThatIOException().isThrownBy(claimed::isPutInPlace);
    assertThat(claimed.rbw.blockFile()).isEmptyFile();
    assertThatIOException().isThrownBy(() -> writer.finish(claimed.rbw));
    assertThat(writer.discard(claimed.rbw)).isFalse();
    writer.release(claimed.rbw);
  }

  /** Told of it all the same, a DataNode of Hadoop 3.3 or 3.4 reports no block any more. */
  @Test
  void nobodyIsToldOfAReplicaUntilItsVolumeIsBack() throws Exception {
    Begun begun = new Begun("/whole");
    assertThat(writer.claim(begun.rbw)).isTrue();
    assertThat(begun.isPutInPlace()).isTrue();
    Replica whole = writer.finish(begun.rbw);
    writer.release(begun.rbw);

    use("other");
    assertThat(writer.notifyReceived(whole)).isFalse();
    assertThat(writer.finalized(begun.block)).isNull();

    use("data0");
    assertThat(writer.finalized(begun.block)).isEqualTo(whole);
    assertThat(writer.notifyReceived(whole)).isTrue();
    begun.file.complete(begun.written());
    try (FSDataInputStream in = fs.open(begun.file.path())) {
      assertThat(Arrays.mismatch(in.readAllBytes(), content)).isEqualTo(-1);
    }
  }
}
