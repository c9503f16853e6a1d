// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.lock.ReplicaLocks;
import io.rdio.hdfs.token.BlockTokens;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.util.AutoCloseableLock;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * What the DataNode knows of its replicas, through its public methods. Thread-safe.
 *
 * <p>{@link #find} is the barrier that its contract asks for: it looks the replica up under the
 * read lock of {@link ReplicaLocks}. An append or truncate that looked at the link count before the
 * caller linked is waited for and seen here (RBW, or under recovery), and one that begins later
 * sees two links and copies. Nothing but the look into the map is done under the lock.
 */
final class HadoopReplicaSource implements ReplicaSource {
  private final DataNode dataNode;
  private final boolean tokensConfigured;
  private final @Nullable String encryption;

  /**
   * Not looked for before the first grant: {@link PlatformCheck} says first where there is none.
   */
  private static final class Locks {
    static final ReplicaLocks OF_THIS_HADOOP = ReplicaLocks.ofThisHadoop(VersionInfo.getVersion());
  }

  HadoopReplicaSource(DataNode dataNode, boolean allowUnencrypted) {
    this.dataNode = dataNode;
    this.tokensConfigured =
        dataNode
            .getConf()
            .getBoolean(
                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY,
                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_DEFAULT);
    this.encryption = allowUnencrypted ? null : TransferEncryption.askedFor(dataNode.getConf());
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token) throws FallbackException {
    if (encryption != null) {
      throw new FallbackException(FallbackReason.ENCRYPTION_REQUIRED, encryption);
    }
    DatanodeRegistration registration = registration(block.poolId());
    BlockPoolTokenSecretManager secrets = dataNode.getBlockPoolTokenSecretManager();
    boolean keysHere = secrets.isBlockPoolRegistered(block.poolId());
    // A registration is there a moment before its keys are: then tokens are on all the same.
    if (keysHere || tokensConfigured || registration.getExportedKeys().isBlockTokenEnabled()) {
      if (!keysHere) {
        throw new FallbackException(
            FallbackReason.DATANODE_NOT_READY,
            "block tokens are on, but the NameNode gave no keys for " + block.poolId());
      }
      BlockTokens.check(secrets, block, token);
    }
  }

  @Override
  public byte[] tokenPassword(BlockKey block, byte[] identifier) throws FallbackException {
    registration(block.poolId());
    BlockPoolTokenSecretManager secrets = dataNode.getBlockPoolTokenSecretManager();
    if (!secrets.isBlockPoolRegistered(block.poolId())) {
      throw new FallbackException(
          FallbackReason.DATANODE_NOT_READY,
          "the client has a block token, but the NameNode gave no keys for " + block.poolId());
    }
    return BlockTokens.password(secrets, block, identifier);
  }

  /** Of a block pool that this DataNode serves. Any other id must not reach HDFS's lock tables. */
  private DatanodeRegistration registration(String poolId) throws FallbackException {
    try {
      return dataNode.getDNRegistrationForBP(poolId);
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.DATANODE_NOT_READY, poolId + " is not registered on this DataNode", e);
    }
  }

  @Override
  public Replica find(BlockKey block) throws FallbackException {
    registration(block.poolId());
    FsDatasetSpi<?> dataset = dataset();
    ReplicaInfo seen = lookUp(dataset, block);
    ReplicaInfo replica;
    AutoCloseableLock lock = Locks.OF_THIS_HADOOP.read(dataset, block, seen.getStorageUuid());
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
    registration(block.poolId());
    FsVolumeSpi volume = lookUp(dataset(), block).getVolume();
    if (volume == null) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, block + " is on no volume");
    }
    return storage(volume);
  }

  private FsDatasetSpi<?> dataset() throws FallbackException {
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null) {
      throw new FallbackException(FallbackReason.DATANODE_NOT_READY, "no storage is open yet");
    }
    return dataset;
  }

  @SuppressWarnings("deprecation") // the one way to a replica's state and files
  private static ReplicaInfo lookUp(FsDatasetSpi<?> dataset, BlockKey block)
      throws FallbackException {
    if (dataset.getReplica(block.poolId(), block.blockId()) instanceof ReplicaInfo replica) {
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
    FsVolumeSpi volume = replica.getVolume();
    if (volume == null || !isPlain(volume) || !isFile(replica.getBlockURI())) {
      throw new FallbackException(FallbackReason.STORAGE_UNSUPPORTED, block + " is on " + volume);
    }
    return new Replica(
        block,
        volume.getStorageID(),
        Path.of(volume.getBaseURI()),
        Path.of(replica.getBlockURI()),
        Path.of(replica.getMetadataURI()),
        replica.getNumBytes());
  }

  private static boolean isPlain(FsVolumeSpi volume) {
    return !volume.isTransientStorage() && isFile(volume.getBaseURI());
  }

  /**
   * @param uri null for storages that only pretend, as Hadoop's simulated ones do
   */
  private static boolean isFile(@Nullable URI uri) {
    return uri != null && "file".equals(uri.getScheme());
  }

  @Override
  @SuppressWarnings("deprecation")
  public boolean isCurrent(Replica replica) {
    BlockKey block = replica.block();
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null || !isRegistered(block.poolId())) {
      return false;
    }
    return dataset.getReplica(block.poolId(), block.blockId()) instanceof ReplicaInfo now
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
    List<Storage> storages = new ArrayList<>();
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null) {
      return storages;
    }
    try (FsDatasetSpi.FsVolumeReferences volumes = dataset.getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        storages.add(storage(volume));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("storage directories cannot be listed", e);
    }
    return storages;
  }

  private static Storage storage(FsVolumeSpi volume) {
    // A volume without a directory of its own (PROVIDED) is named by its id.
    Path root =
        isFile(volume.getBaseURI()) ? Path.of(volume.getBaseURI()) : Path.of(volume.getStorageID());
    return new Storage(volume.getStorageID(), root, isPlain(volume));
  }

  @Override
  public String dataNodeUuid() {
    String uuid = dataNode.getDatanodeUuid();
    return uuid == null ? "" : uuid;
  }
}
