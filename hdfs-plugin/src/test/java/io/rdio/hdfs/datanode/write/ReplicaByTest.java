// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.allocate.NewReplica;
import io.rdio.datanode.allocate.RbwReplica;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.util.DataChecksum;

/** A replica in a real DataNode whose bytes come past it, as from a device. */
public final class ReplicaByTest {
  private static final int CHUNK = 512;

  private final HadoopReplicaWriter writer;
  private final RbwReplica rbw;

  private ReplicaByTest(HadoopReplicaWriter writer, RbwReplica rbw) {
    this.writer = writer;
    this.rbw = rbw;
  }

  /**
   * Begins it: it is empty.
   *
   * @param target which of the block's targets the DataNode is
   * @param bytes that it may have
   */
  public static ReplicaByTest create(
      DataNode dataNode, LocatedBlock located, int target, long bytes) throws Exception {
    HadoopReplicaWriter writer =
        new HadoopReplicaWriter(dataNode, new DataNodeReplicas(dataNode, null));
    RbwReplica rbw =
        writer.create(
            new NewReplica(
                NewFile.key(located),
                located.getStorageIDs()[target],
                bytes,
                ChecksumSpec.Type.CRC32C,
                CHUNK));
    return new ReplicaByTest(writer, rbw);
  }

  /** Finalizes it with these bytes, and tells the NameNode. */
  public void commit(byte[] content) throws IOException {
    if (!writer.claim(rbw)) {
      throw new IOException(rbw + " is somebody else's");
    }
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK);
    byte[] sums = new byte[checksum.getChecksumSize(content.length)];
    checksum.calculateChunkedSums(content, 0, content.length, sums, 0);
    Files.write(rbw.metaFile(), sums, StandardOpenOption.APPEND);
    Path slot = rbw.storage().volumeRoot().resolve("slot" + rbw.block().blockId());
    Files.write(slot, content);
    byte[] last = Arrays.copyOfRange(sums, sums.length - ChecksumSpec.CRC_BYTES, sums.length);
    boolean put =
        writer.putInPlace(
            rbw,
            content.length,
            last,
            () -> Files.move(slot, rbw.blockFile(), StandardCopyOption.ATOMIC_MOVE));
    if (!put) {
      throw new IOException(rbw + " changed hands");
    }
    writer.notifyReceived(writer.finish(rbw));
  }

  /** Takes it away, if it is still empty. */
  public void abort() throws IOException {
    writer.invalidate(rbw);
  }
}
