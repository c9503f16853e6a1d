// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import io.rdio.core.block.BlockKey;
import java.lang.invoke.MethodHandle;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/** Hadoop 3.3: one lock for all that a DataNode stores. Later lines have no such method. */
final class DatasetLocks implements ReplicaLocks {
  private final MethodHandle readLock;
  private final MethodHandle writeLock;

  /**
   * @param readLock {@code FsDatasetSpi.acquireDatasetReadLock}
   * @param writeLock {@code FsDatasetSpi.acquireDatasetLock}
   */
  DatasetLocks(MethodHandle readLock, MethodHandle writeLock) {
    this.readLock = readLock;
    this.writeLock = writeLock;
  }

  @Override
  public AutoCloseableLock read(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return acquire(readLock, dataset);
  }

  @Override
  public AutoCloseableLock write(FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return acquire(writeLock, dataset);
  }

  private static AutoCloseableLock acquire(MethodHandle lock, FsDatasetSpi<?> dataset) {
    try {
      return (AutoCloseableLock) lock.invoke(dataset);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("the method throws nothing checked", e);
    }
  }
}
