// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.util.AutoCloseableLock;

/**
 * What the DataNode knows of its replicas, through its public methods. Thread-safe.
 *
 * <p>{@link #find} is the barrier that its contract asks for: it looks the replica up under the
 * read lock of its directory. An append or truncate that looked at the link count before the caller
 * linked is waited for and seen here (RBW, or under recovery), and one that begins later sees two
 * links and copies. Nothing but the look into the map is done under the lock.
 */
final class HadoopReplicaSource implements ReplicaSource {
  private final DataNode dataNode;
  private final DataNodeReplicas replicas;

  HadoopReplicaSource(DataNode dataNode, DataNodeReplicas replicas) {
    this.dataNode = dataNode;
    this.replicas = replicas;
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token) throws FallbackException {
    BlockPoolTokenSecretManager secrets = replicas.keysFor(block);
    if (secrets != null) {
      BlockTokens.check(secrets, block, token);
    }
  }

  @Override
  public byte[] tokenPassword(BlockKey block, byte[] identifier) throws FallbackException {
    replicas.registration(block.poolId());
    BlockPoolTokenSecretManager secrets = dataNode.getBlockPoolTokenSecretManager();
    if (!secrets.isBlockPoolRegistered(block.poolId())) {
      throw new FallbackException(
          FallbackReason.DATANODE_NOT_READY,
          "the client has a block token, but the NameNode gave no keys for " + block.poolId());
    }
    return BlockTokens.password(secrets, block, identifier);
  }

  @Override
  public Replica find(BlockKey block) throws FallbackException {
    replicas.registration(block.poolId());
    FsDatasetSpi<?> dataset = replicas.dataset();
    ReplicaInfo seen = lookUp(dataset, block);
    ReplicaInfo replica;
    AutoCloseableLock lock = DataNodeReplicas.readLock(dataset, block, seen.getStorageUuid());
    try {
      replica = lookUp(dataset, block);
    } finally {
      lock.close();
    }
    if (!replica.getStorageUuid().equals(seen.getStorageUuid())) {
      throw new FallbackException(FallbackReason.REPLICA_CHANGED, block + " moves to a new volume");
    }
    return checked(replica, block);
  }

  @Override
  public Storage storageOf(BlockKey block) throws FallbackException {
    replicas.registration(block.poolId());
    FsVolumeSpi volume = lookUp(replicas.dataset(), block).getVolume();
    if (volume == null) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, block + " is on no volume");
    }
    return DataNodeReplicas.storage(volume);
  }

  private static ReplicaInfo lookUp(FsDatasetSpi<?> dataset, BlockKey block)
      throws FallbackException {
    ReplicaInfo replica = DataNodeReplicas.replica(dataset, block);
    if (replica != null) {
      return replica;
    }
    throw new FallbackException(FallbackReason.REPLICA_NOT_FOUND, block.toString());
  }

  private static Replica checked(ReplicaInfo replica, BlockKey block) throws FallbackException {
    if (replica.getState() != ReplicaState.FINALIZED) {
      throw new FallbackException(
          FallbackReason.REPLICA_NOT_FINALIZED, block + " is " + replica.getState());
    }
    if (replica.getGenerationStamp() != block.generationStamp()) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          block + " has generation stamp " + replica.getGenerationStamp() + " now");
    }
    return DataNodeReplicas.described(replica, block);
  }

  @Override
  public boolean isCurrent(Replica replica) {
    BlockKey block = replica.block();
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null || !isRegistered(block.poolId())) {
      return false;
    }
    ReplicaInfo now = DataNodeReplicas.replica(dataset, block);
    return now != null
        && now.getState() == ReplicaState.FINALIZED
        && now.getGenerationStamp() == block.generationStamp()
        && now.getNumBytes() == replica.length()
        && replica.storageId().equals(now.getStorageUuid());
  }

  private boolean isRegistered(String poolId) {
    try {
      dataNode.getDNRegistrationForBP(poolId);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public List<Storage> storages() {
    return replicas.storages();
  }

  @Override
  public String dataNodeUuid() {
    String uuid = dataNode.getDatanodeUuid();
    return uuid == null ? "" : uuid;
  }
}
