// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import io.rdio.core.block.BlockKey;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/** Hadoop 3.4: a lock for each block pool of a volume, behind the pool's own. */
final class VolumeLocks implements ReplicaLocks {
  @Override
  public AutoCloseableLock read(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return dataset
        .acquireDatasetLockManager()
        .readLock(LockLevel.VOLUME, block.poolId(), storageId);
  }

  @Override
  public AutoCloseableLock write(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return dataset
        .acquireDatasetLockManager()
        .writeLock(LockLevel.VOLUME, block.poolId(), storageId);
  }
}
