// SPDX-License-Identifier: Apache-2.0
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;

/**
 * Takes replicas without bytes, and such as a commit could not finish, out of HDFS's dataset at
 * once. HDFS's own way leaves the files to a thread that may be behind: until then nobody can begin
 * the replica again, and who did a moment too early would lose its meta file to that thread. In
 * this package because HDFS's replica map is visible in no other.
 */
public final class EmptyReplicas {
  private EmptyReplicas() {}

  /**
   * Removes a replica's files, and then the replica. The caller holds the write lock of its
   * directory, and knows that it is in the map, being written, and of no use to anybody.
   *
   * @return false if that cannot be done here; what is left of it is for HDFS's own way
   */
  public static boolean remove(FsDatasetSpi<?> dataset, String poolId, ReplicaInPipeline replica) {
    if (EmptyReplicas.class.getClassLoader() != FsDatasetImpl.class.getClassLoader()
        || !(dataset instanceof FsDatasetImpl)) {
      return false;
    }
    ReplicaInfo info = replica.getReplicaInfo();
    if (!info.deleteBlockData() && info.blockDataExists()) {
      return false;
    }
    if (!info.deleteMetadata() && info.metadataExists()) {
      return false;
    }
    Block named = new Block(info.getBlockId(), 0, info.getGenerationStamp());
    if (((FsDatasetImpl) dataset).volumeMap.remove(poolId, named) != null) {
      replica.releaseAllBytesReserved();
    }
    return true;
  }
}
