// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.allocate.NewReplica;
import io.rdio.datanode.allocate.RbwReplica;
import io.rdio.datanode.allocate.ReplicaWriter;
import io.rdio.datanode.volume.Replica;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import io.rdio.hdfs.token.BlockTokens;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockPoolTokenSecretManager;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.util.AutoCloseableLock;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What rules W2 and W5 have HDFS do, through the DataNode's public methods: those that {@code
 * DataXceiver} and {@code BlockReceiver} call for a client that writes. The same from Hadoop 3.3.6
 * to 3.5, but for the lock of the replica map. Thread-safe.
 *
 * <p>Recovery takes the replica's writer, or replaces the replica in the map, under that lock; so
 * does deletion. What is seen under it therefore holds until it is given back.
 */
final class HadoopReplicaWriter implements ReplicaWriter {
  private static final Logger LOG = LoggerFactory.getLogger(HadoopReplicaWriter.class);

  /**
   * How HDFS says, from 3.3 to 3.5, that it has taken an interrupt for a reason not to finalize.
   */
  private static final String INTERRUPTED = "from Interrupted Thread";

  private final DataNode dataNode;
  private final DataNodeReplicas replicas;
  private final WriteStorages storages;

  HadoopReplicaWriter(DataNode dataNode, DataNodeReplicas replicas) {
    this.dataNode = dataNode;
    this.replicas = replicas;
    this.storages = new WriteStorages(replicas);
  }

  @Override
  public void checkAccess(BlockKey block, byte[] token, String storageId) throws FallbackException {
    BlockPoolTokenSecretManager secrets = replicas.keysFor(block);
    if (secrets != null) {
      // A storage that is not here has no type: what that means is said to who may know.
      BlockTokens.checkWrite(secrets, block, token, storages.type(storageId), storageId);
    }
  }

  @Override
  public List<Storage> storages() {
    return replicas.storages();
  }

  @Override
  public long availableBytes(Storage storage) throws IOException {
    return storages.availableBytes(storage);
  }

  @Override
  public RbwReplica create(NewReplica wanted) throws FallbackException, IOException {
    BlockKey block = wanted.block();
    replicas.registration(block.poolId());
    FsDatasetSpi<?> dataset = replicas.dataset();
    StorageType type = storages.typeToUse(wanted.storageId());
    try (ReplicaHandler handler =
        dataset.createRbw(type, wanted.storageId(), extended(block, wanted.bytes()), false)) {
      HadoopRbw rbw = new HadoopRbw(block, handler.getReplica());
      begin(rbw, checksum(wanted));
      return rbw;
    } catch (ReplicaAlreadyExistsException e) {
      throw new FallbackException(FallbackReason.REPLICA_CHANGED, block + ": " + e, e);
    }
  }

  private static DataChecksum checksum(NewReplica wanted) {
    return DataChecksum.newDataChecksum(
        DataChecksum.Type.valueOf(wanted.checksumType().id()), wanted.bytesPerChecksum());
  }

  /** Recovery fails for ever where it finds no header. */
  private void begin(HadoopRbw rbw, DataChecksum checksum) throws FallbackException, IOException {
    boolean begun = false;
    try {
      if (!rbw.storage().supported()) {
        throw new FallbackException(
            FallbackReason.STORAGE_UNSUPPORTED, rbw + " is on " + rbw.volume());
      }
      try (DataOutputStream meta = new DataOutputStream(Files.newOutputStream(rbw.metaFile()))) {
        BlockMetadataHeader.writeHeader(meta, checksum);
      }
      rbw.letGo();
      begun = true;
    } finally {
      if (!begun) {
        undo(rbw);
      }
    }
  }

  private void undo(HadoopRbw rbw) {
    try {
      invalidate(rbw);
    } catch (IOException e) {
      LOG.warn(
          "{} could not be begun, and not be removed: the NameNode will have it removed", rbw, e);
    }
  }

  @Override
  public boolean isThere(RbwReplica replica) {
    HadoopRbw rbw = (HadoopRbw) replica;
    try {
      return rbw.isCurrent(dataset(rbw.block()));
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public boolean claim(RbwReplica replica) {
    HadoopRbw rbw = (HadoopRbw) replica;
    if (!rbw.claim()) {
      return false;
    }
    FsDatasetSpi<?> dataset = dataNode.getFSDataset();
    if (dataset != null && rbw.isCurrent(dataset)) {
      return true;
    }
    rbw.release();
    return false;
  }

  @Override
  public void release(RbwReplica replica) {
    ((HadoopRbw) replica).release();
  }

  @Override
  public boolean putInPlace(RbwReplica replica, long length, byte[] lastChecksum, Rename rename)
      throws IOException {
    HadoopRbw rbw = (HadoopRbw) replica;
    return underLock(
        rbw,
        dataset -> {
          if (!rbw.isCurrent(dataset) || !rbw.isMine()) {
            return false;
          }
          rename.run();
          rbw.setLength(length, lastChecksum);
          return true;
        });
  }

  @Override
  public Replica finish(RbwReplica replica) throws IOException {
    HadoopRbw rbw = (HadoopRbw) replica;
    BlockKey block = rbw.block();
    return underLock(
        rbw,
        dataset -> {
          // HDFS would finalize what else it finds by this number, such as one under recovery.
          if (!rbw.isCurrent(dataset) || !rbw.isMine()) {
            throw new IOException(rbw + " is no longer the replica that was written");
          }
          // HDFS would take the interrupt away, which is how the caller knows of a recovery.
          if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(rbw + " is whole, and left to its recovery");
          }
          finalizeBlock(dataset, block);
          return described(Objects.requireNonNull(DataNodeReplicas.replica(dataset, block)), block);
        });
  }

  private static void finalizeBlock(FsDatasetSpi<?> dataset, BlockKey block) throws IOException {
    try {
      dataset.finalizeBlock(extended(block, 0), false);
    } catch (IOException e) {
      // It has taken the interrupt away, which came a moment ago.
      if (String.valueOf(e.getMessage()).contains(INTERRUPTED)) {
        Thread.currentThread().interrupt();
      }
      throw e;
    }
  }

  private static Replica described(ReplicaInfo replica, BlockKey block) throws IOException {
    try {
      return DataNodeReplicas.described(replica, block);
    } catch (FallbackException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * {@inheritDoc} HDFS does not take the volume out meanwhile: told of a storage that it has not,
   * DataNodes before 3.5 report nothing more to the NameNode until they are started anew
   * (HDFS-17488).
   */
  @Override
  public boolean notifyReceived(Replica replica) {
    try {
      return storages.isDoneInUse(replica.storageId(), () -> tell(replica));
    } catch (FallbackException e) {
      return false; // no storage is in use
    } catch (IOException | RuntimeException e) {
      LOG.error("The NameNode hears of {} by the next block report only", replica.block(), e);
      return true;
    }
  }

  private void tell(Replica replica) {
    dataNode.getMetrics().incrBlocksWritten();
    dataNode.notifyNamenodeReceivedBlock(
        extended(replica.block(), replica.length()), null, replica.storageId(), false);
  }

  @Override
  public void invalidate(RbwReplica replica) throws IOException {
    HadoopRbw rbw = (HadoopRbw) replica;
    removeIf(rbw, () -> rbw.isFreeOrMine() && rbw.isEmpty());
  }

  @Override
  public boolean discard(RbwReplica replica) throws IOException {
    HadoopRbw rbw = (HadoopRbw) replica;
    return removeIf(rbw, () -> rbw.isMine() && !Thread.currentThread().isInterrupted());
  }

  private boolean removeIf(HadoopRbw rbw, BooleanSupplier isOurs) throws IOException {
    BlockKey block = rbw.block();
    if (!rbw.isCurrent(dataset(block))) {
      return false; // nor will it be: asked again it would fail each time where its volume went
    }
    return underLock(
        rbw,
        dataset -> {
          boolean ours = rbw.isCurrent(dataset) && isOurs.getAsBoolean();
          if (ours && !rbw.removeFrom(dataset)) {
            Block named = new Block(block.blockId(), 0, block.generationStamp());
            dataset.invalidate(block.poolId(), new Block[] {named});
          }
          return ours;
        });
  }

  @Override
  public @Nullable Replica finalized(BlockKey block) throws FallbackException {
    replicas.registration(block.poolId());
    ReplicaInfo replica = DataNodeReplicas.replica(replicas.dataset(), block);
    return replica != null
            && replica.getState() == ReplicaState.FINALIZED
            && replica.getGenerationStamp() == block.generationStamp()
            && DataNodeReplicas.storage(replica.getVolume()).supported()
        ? DataNodeReplicas.described(replica, block)
        : null;
  }

  /** Of a pool that is still served: HDFS's lock tables know no other. */
  private FsDatasetSpi<?> dataset(BlockKey block) throws IOException {
    try {
      replicas.registration(block.poolId());
      return replicas.dataset();
    } catch (FallbackException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** What is done under the replica's write lock. */
  @FunctionalInterface
  private interface Work<T> {
    T on(FsDatasetSpi<?> dataset) throws IOException;
  }

  /** Fails where the volume is being taken out, which otherwise waits until this is over. */
  private <T> T underLock(HadoopRbw rbw, Work<T> work) throws IOException {
    FsDatasetSpi<?> dataset = dataset(rbw.block());
    FsVolumeReference volume = rbw.volume().obtainReference();
    try {
      AutoCloseableLock lock =
          DataNodeReplicas.writeLock(dataset, rbw.block(), rbw.storage().storageId());
      try {
        return work.on(dataset);
      } finally {
        lock.close();
      }
    } finally {
      volume.close();
    }
  }

  private static ExtendedBlock extended(BlockKey block, long bytes) {
    return new ExtendedBlock(block.poolId(), block.blockId(), bytes, block.generationStamp());
  }
}
