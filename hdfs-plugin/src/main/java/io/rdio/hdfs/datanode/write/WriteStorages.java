// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.datanode.volume.Storage;
import io.rdio.hdfs.datanode.dataset.DataNodeReplicas;
import java.io.IOException;
import java.util.function.Predicate;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.jspecify.annotations.Nullable;

/** The storage directories of a DataNode as something to write to. Thread-safe. */
final class WriteStorages {
  private final DataNodeReplicas replicas;

  WriteStorages(DataNodeReplicas replicas) {
    this.replicas = replicas;
  }

  /** What is asked of a volume that stays while it is asked. */
  private interface Question<T> {
    T of(FsVolumeSpi volume) throws IOException;
  }

  /** Null where no storage directory in use is such. */
  private <T> @Nullable T ask(Predicate<FsVolumeSpi> which, Question<T> question)
      throws FallbackException, IOException {
    try (FsDatasetSpi.FsVolumeReferences volumes = replicas.dataset().getFsVolumeReferences()) {
      for (FsVolumeSpi volume : volumes) {
        if (which.test(volume)) {
          return question.of(volume);
        }
      }
      return null;
    }
  }

  /**
   * Bytes that HDFS may still use there, at least 0.
   *
   * @throws IOException if it is not in use any more, or cannot be asked
   */
  long availableBytes(Storage storage) throws IOException {
    Long bytes;
    try {
      bytes =
          ask(
              volume -> DataNodeReplicas.storage(volume).equals(storage),
              FsVolumeSpi::getAvailable);
    } catch (FallbackException e) {
      throw new IOException(e.detail(), e);
    }
    if (bytes == null) {
      throw new IOException(storage.volumeRoot() + " is not a storage directory in use");
    }
    return Math.max(0, bytes);
  }

  /**
   * Does something while a storage is in use: HDFS takes it out before that or behind it.
   *
   * @param work waits for nothing
   * @return false if it is not in use, and nothing was done
   * @throws FallbackException DATANODE_NOT_READY
   * @throws IOException if that cannot be told, or be ended
   */
  boolean isDoneInUse(String storageId, Runnable work) throws FallbackException, IOException {
    Boolean done =
        ask(
            volume -> volume.getStorageID().equals(storageId),
            volume -> {
              work.run();
              return true;
            });
    return done != null;
  }

  /**
   * The type of the storage with this id, HDFS's own default for "", or null where none is here.
   *
   * @throws FallbackException DATANODE_NOT_READY
   */
  @Nullable StorageType type(String storageId) throws FallbackException {
    if (storageId.isEmpty()) {
      return StorageType.DEFAULT;
    }
    try {
      return ask(volume -> volume.getStorageID().equals(storageId), FsVolumeSpi::getStorageType);
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.DATANODE_NOT_READY, "storage directories cannot be listed", e);
    }
  }

  /**
   * As {@link #type}, of one that can be written to.
   *
   * @throws FallbackException also STORAGE_UNSUPPORTED
   */
  StorageType typeToUse(String storageId) throws FallbackException {
    StorageType type = type(storageId);
    boolean supported =
        storageId.isEmpty()
            || replicas.storages().stream()
                .anyMatch(storage -> storage.storageId().equals(storageId) && storage.supported());
    if (type == null || !supported) {
      throw new FallbackException(
          FallbackReason.STORAGE_UNSUPPORTED,
          storageId + (type == null ? " is not here" : " is " + type));
    }
    return type;
  }
}
