// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import static org.awaitility.Awaitility.await;

import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.EnumSetWritable;

/**
 * A file of one replica for each block, open at the NameNode, whose blocks a test writes itself.
 */
public final class NewFile {
  private static final String CLIENT = "writer-of-the-test";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Path path;
  private final ClientProtocol nameNode;
  private final long fileId;

  private NewFile(Path path, ClientProtocol nameNode, long fileId) {
    this.path = path;
    this.nameNode = nameNode;
    this.fileId = fileId;
  }

  /** Creates it. */
  public static NewFile create(DistributedFileSystem fs, String name, long blockBytes)
      throws IOException {
    ClientProtocol nameNode = fs.getClient().getNamenode();
    long id =
        nameNode
            .create(
                name,
                FsPermission.getFileDefault(),
                CLIENT,
                new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                true,
                (short) 1,
                blockBytes,
                CryptoProtocolVersion.supported(),
                null,
                null)
            .getFileId();
    return new NewFile(new Path(name), nameNode, id);
  }

  public Path path() {
    return path;
  }

  /** Its next block, with a token to write it. */
  public LocatedBlock addBlock(ExtendedBlock previous) throws IOException {
    return nameNode.addBlock(path.toString(), CLIENT, previous, null, fileId, null, null);
  }

  /** Closes the file, once the NameNode knows of its last block. */
  public void complete(ExtendedBlock last) {
    await().atMost(PATIENCE).until(() -> nameNode.complete(path.toString(), CLIENT, last, fileId));
  }

  public static BlockKey key(LocatedBlock located) {
    ExtendedBlock block = located.getBlock();
    return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
  }

  /** As it goes over the wire. */
  public static byte[] token(LocatedBlock located) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    located.getBlockToken().write(out);
    return Arrays.copyOf(out.getData(), out.getLength());
  }
}
