// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.lock;

import io.rdio.core.block.BlockKey;
import java.lang.invoke.MethodHandle;
import java.util.List;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/**
 * The lock under which a DataNode changes a replica. An append or truncate holds it from before it
 * looks at the replica's link count until the new state is in the replica map; so whoever looks
 * into the map under the read lock sees either the state before, and the change will see the links
 * that were made before, or the state behind. Recovery and deletion, too, take a replica out of the
 * map under it; so what is in the map under the write lock stays there until the lock is given
 * back. Thread-safe.
 */
public interface ReplicaLocks {
  /**
   * Waits for the read lock.
   *
   * @param storageId of the volume that has the replica
   * @return the lock held, to be closed by the same thread
   */
  AutoCloseableLock read(FsDatasetSpi<?> dataset, BlockKey block, String storageId);

  /**
   * Waits for the write lock, as {@link #read} for the other. Others wait as long as it is held:
   * nothing slow is to be done under it.
   */
  AutoCloseableLock write(FsDatasetSpi<?> dataset, BlockKey block, String storageId);

  /**
   * The locks of the Hadoop whose classes are loaded here: the finest that it has, of those whose
   * use in it was looked at.
   *
   * @param version of it, for the message, such as 3.4.3
   * @throws UnsupportedOperationException if it has others; says which lines of Hadoop are known
   */
  static ReplicaLocks ofThisHadoop(String version) {
    return among(HadoopLocks.here(), version);
  }

  /** As {@link #ofThisHadoop}, of these locks. */
  static ReplicaLocks among(HadoopLocks locks, String version) {
    List<String> levels = locks.levels();
    if (levels.equals(List.of("BLOCK_POOl", "VOLUME", "DIR"))) {
      return new DirectoryLocks();
    }
    if (levels.equals(List.of("BLOCK_POOl", "VOLUME"))) {
      return new VolumeLocks();
    }
    MethodHandle read = locks.readOfDataset();
    MethodHandle write = locks.writeOfDataset();
    if (levels.isEmpty() && read != null && write != null) {
      return new DatasetLocks(read, write);
    }
    throw new UnsupportedOperationException(
        "Hadoop "
            + version
            + " locks its replicas in a way that RDIO does not know: by levels "
            + levels
            + "; fix: run this DataNode on Hadoop 3.3.6, 3.4 or 3.5, or leave RDIO's plugin out of"
            + " dfs.datanode.plugins");
  }
}
