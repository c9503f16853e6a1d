// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.stock;

import io.rdio.core.block.BlockRequest;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * What it takes to read a block as stock HDFS does, for an accessor that had to give up on the
 * device. Asked only then. Safe for any number of threads.
 */
public interface StockBlockSource {
  /**
   * A client of the block's cluster whose configuration names no replica accessor builder: with one
   * a read through it would end up here again. It stays open while accessors use it.
   */
  DFSClient client() throws IOException;

  /** The configuration that {@link #client} was made from. */
  Configuration configuration();

  /**
   * The block with the DataNodes that hold it and a token to read it. For an internal block of an
   * erasure-coded group this is the internal block, with its own id, DataNode and token.
   *
   * @param fresh ask the NameNode, for what is remembered here has just failed
   * @throws IOException if the NameNode cannot be asked, or no longer knows this version of it
   */
  LocatedBlock locate(BlockRequest request, boolean fresh) throws IOException;

  /** Opens readers of one of these blocks. */
  default StockReplicaReader.Opener opener(String fileName, boolean verifyChecksum) {
    return new DataNodeReaderOpener(this, fileName, verifyChecksum);
  }

  /** Tells the NameNode what a stock reader would: these DataNodes' replicas are corrupt. */
  default void reportCorrupt(ExtendedBlock block, DatanodeInfo... dataNodes) throws IOException {
    client().reportBadBlocks(new LocatedBlock[] {new LocatedBlock(block, dataNodes)});
  }
}
