// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import io.rdio.core.block.BlockKey;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/** Hadoop 3.5: a lock for each directory of blocks, behind its volume's and its pool's. */
final class DirectoryLocks implements ReplicaLocks {
  @Override
  public AutoCloseableLock read(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return dataset
        .acquireDatasetLockManager()
        .readLock(
            LockLevel.DIR,
            block.poolId(),
            storageId,
            DatanodeUtil.idToBlockDirSuffix(block.blockId()));
  }

  @Override
  public AutoCloseableLock write(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return dataset
        .acquireDatasetLockManager()
        .writeLock(
            LockLevel.DIR,
            block.poolId(),
            storageId,
            DatanodeUtil.idToBlockDirSuffix(block.blockId()));
  }
}
