// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.rdio.core.block.BlockKey;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.Replica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;

/**
 * HDFS's dataset, which tells of each append and truncate before it takes its lock for it, in the
 * thread that will. All else is HDFS's. In this package because the class that it extends is
 * visible in no other; and no proxy around that one, for HDFS casts its dataset to it when it
 * persists blocks of RAM_DISK.
 */
public final class RecallingFsDataset extends FsDatasetImpl {
  private final Consumer<BlockKey> beforeChange;

  /**
   * @param beforeChange told of each replica whose file is about to change; may wait, must not
   *     throw
   */
  public RecallingFsDataset(
      DataNode dataNode, DataStorage storage, Configuration conf, Consumer<BlockKey> beforeChange)
      throws IOException {
    super(dataNode, storage, conf);
    this.beforeChange = beforeChange;
  }

  @Override
  public ReplicaHandler append(ExtendedBlock block, long newStamp, long expectedLength)
      throws IOException {
    tell(block);
    return super.append(block, newStamp, expectedLength);
  }

  @Override
  public ReplicaHandler recoverAppend(ExtendedBlock block, long newStamp, long expectedLength)
      throws IOException {
    tell(block);
    return super.recoverAppend(block, newStamp, expectedLength);
  }

  @Override
  public Replica updateReplicaUnderRecovery(
      ExtendedBlock old, long recoveryId, long newBlockId, long newLength) throws IOException {
    boolean inPlace = newBlockId <= 0 || newBlockId == old.getBlockId();
    if (inPlace && newLength < old.getNumBytes()) {
      tell(old);
    }
    return super.updateReplicaUnderRecovery(old, recoveryId, newBlockId, newLength);
  }

  /** The block's stamp in the call may be newer than the replica's, which is what is leased. */
  @SuppressWarnings("deprecation") // the one way to a replica's stamp
  private void tell(ExtendedBlock block) {
    Replica replica = getReplica(block.getBlockPoolId(), block.getBlockId());
    if (replica != null) {
      beforeChange.accept(
          new BlockKey(block.getBlockPoolId(), block.getBlockId(), replica.getGenerationStamp()));
    }
  }
}
