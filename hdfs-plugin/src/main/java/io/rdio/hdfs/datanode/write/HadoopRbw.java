// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.block.BlockKey;
import io.rdio.datanode.allocate.RbwReplica;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.EmptyReplicas;

/** One object of HDFS's replica map, which HDFS may replace there at any time. Thread-safe. */
final class HadoopRbw implements RbwReplica {
  private final BlockKey block;
  private final ReplicaInPipeline replica;
  private final ReplicaInfo info;
  private final Storage storage;

  /**
   * @param replica as {@code createRbw} made it
   */
  HadoopRbw(BlockKey block, ReplicaInPipeline replica) {
    this.block = block;
    this.replica = replica;
    this.info = replica.getReplicaInfo();
    this.storage = DataNodeReplicas.storage(info.getVolume());
  }

  @Override
  public BlockKey block() {
    return block;
  }

  @Override
  public Storage storage() {
    return storage;
  }

  @Override
  public Path blockFile() {
    return Path.of(info.getBlockURI());
  }

  @Override
  public Path metaFile() {
    return Path.of(info.getMetadataURI());
  }

  FsVolumeSpi volume() {
    return info.getVolume();
  }

  /** Whether this very object is in the replica map, as RBW and of its generation stamp. */
  @SuppressWarnings("ReferenceEquality") // others of the same block and stamp are equal
  boolean isCurrent(FsDatasetSpi<?> dataset) {
    return DataNodeReplicas.replica(dataset, block) == info
        && info.getState() == ReplicaState.RBW
        && info.getGenerationStamp() == block.generationStamp();
  }

  /** Makes the calling thread the writer, if nobody is. */
  boolean claim() {
    return replica.attemptToSetWriter(null, Thread.currentThread());
  }

  /** Ends {@link #claim} of the calling thread. */
  void release() {
    replica.attemptToSetWriter(Thread.currentThread(), null);
  }

  boolean isMine() {
    Thread me = Thread.currentThread();
    return replica.attemptToSetWriter(me, me);
  }

  /** Whether neither a commit nor a recovery has it, but perhaps the calling thread. */
  boolean isFreeOrMine() {
    return replica.attemptToSetWriter(null, null) || isMine();
  }

  /** Whether no commit gave it its bytes. */
  boolean isEmpty() {
    return info.getNumBytes() == 0 && replica.getBytesAcked() == 0;
  }

  /** As {@link EmptyReplicas#remove}. */
  boolean removeFrom(FsDatasetSpi<?> dataset) {
    return EmptyReplicas.remove(dataset, block.poolId(), replica);
  }

  /** Lets the block have its files and nobody who writes to them. */
  void letGo() {
    replica.setWriter(null);
  }

  /** What HDFS goes by from now on, as {@code BlockReceiver} sets it with the last packet. */
  void setLength(long length, byte[] lastChecksum) {
    replica.setNumBytes(length);
    replica.setLastChecksumAndDataLen(length, lastChecksum.clone());
    replica.setBytesAcked(length);
  }

  @Override
  public String toString() {
    return block + " in " + storage.volumeRoot();
  }
}
