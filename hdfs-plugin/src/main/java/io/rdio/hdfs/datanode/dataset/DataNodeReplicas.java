// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.dataset;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.lock.ReplicaLocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.util.AutoCloseableLock;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/** A DataNode's replicas, volumes, locks and keys, through its public methods. Thread-safe. */
public final class DataNodeReplicas {
  private final DataNode dataNode;
  private final boolean tokensConfigured;
  private final @Nullable String encryption;

  /** Not looked for before the first use: {@code PlatformCheck} says first where there is none. */
  private static final class Locks {
    static final ReplicaLocks OF_THIS_HADOOP = ReplicaLocks.ofThisHadoop(VersionInfo.getVersion());
  }

  /**
   * @param encryption what asks for encrypted transfer, which is then demanded; null if nothing
   *     does, or it does not matter
   */
  public DataNodeReplicas(DataNode dataNode, @Nullable String encryption) {
    this.dataNode = dataNode;
    this.tokensConfigured =
        dataNode
            .getConf()
            .getBoolean(
                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY,
                DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_DEFAULT);
    this.encryption = encryption;
  }

  /**
   * The keys by which tokens of a block are checked.
   *
   * @return null where tokens are off
   * @throws FallbackException ENCRYPTION_REQUIRED or DATANODE_NOT_READY
   */
  public @Nullable BlockPoolTokenSecretManager keysFor(BlockKey block) throws FallbackException {
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
      return secrets;
    }
    return null;
  }

  /**
   * Of a block pool that this DataNode serves. Any other id must not reach HDFS's lock tables.
   *
   * @throws FallbackException DATANODE_NOT_READY
   */
  public DatanodeRegistration registration(String poolId) throws FallbackException {
    try {
      return dataNode.getDNRegistrationForBP(poolId);
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.DATANODE_NOT_READY, poolId + " is not registered on this DataNode", e);
    }
  }

  /**
   * What the DataNode stores.
   *
   * @throws FallbackException DATANODE_NOT_READY
   */
  public FsDatasetSpi<?> dataset() throws FallbackException {
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset == null) {
      throw new FallbackException(FallbackReason.DATANODE_NOT_READY, "no storage is open yet");
    }
    return dataset;
  }

  /** The block's replica in the replica map, of whatever generation stamp; null if none is. */
  @SuppressWarnings("deprecation") // the one way to a replica's state and files
  public static @Nullable ReplicaInfo replica(FsDatasetSpi<?> dataset, BlockKey block) {
    return dataset.getReplica(block.poolId(), block.blockId()) instanceof ReplicaInfo replica
        ? replica
        : null;
  }

  /** As {@link ReplicaLocks#read}. */
  public static AutoCloseableLock readLock(
      FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return Locks.OF_THIS_HADOOP.read(dataset, block, storageId);
  }

  /** As {@link ReplicaLocks#write}. */
  public static AutoCloseableLock writeLock(
      FsDatasetSpi<?> dataset, BlockKey block, String storageId) {
    return Locks.OF_THIS_HADOOP.write(dataset, block, storageId);
  }

  /**
   * What a finalized replica is called here.
   *
   * @throws FallbackException STORAGE_UNSUPPORTED
   */
  public static Replica described(ReplicaInfo replica, BlockKey block) throws FallbackException {
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

  /** The storage directories in use now; empty while the DataNode has not opened them. */
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

  /** A volume as a storage directory. */
  public static Storage storage(FsVolumeSpi volume) {
    // A volume without a directory of its own (PROVIDED) is named by its id.
    Path root =
        isFile(volume.getBaseURI()) ? Path.of(volume.getBaseURI()) : Path.of(volume.getStorageID());
    return new Storage(volume.getStorageID(), root, isPlain(volume));
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
}
