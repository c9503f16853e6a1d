// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.datanode.volume.ReplicaSource;
import io.rdio.datanode.volume.Storage;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage directories that the DataNode uses now. Nothing here touches a disk: each volume is
 * opened on a thread of its own. Thread-safe.
 */
final class Volumes {
  private static final Logger LOG = LoggerFactory.getLogger(Volumes.class);

  private final ReplicaSource source;
  private final Function<Storage, Volume> maker;
  private final Consumer<Volume> whenGone;
  private final ConcurrentHashMap<Storage, Volume> volumes = new ConcurrentHashMap<>();

  /**
   * @param maker of a volume that came, without touching it
   * @param whenGone told of each volume that went; ends granting and renewing there
   */
  Volumes(ReplicaSource source, Function<Storage, Volume> maker, Consumer<Volume> whenGone) {
    this.source = source;
    this.maker = maker;
    this.whenGone = whenGone;
  }

  /** The volume that a block's replica lies on. */
  Volume of(BlockKey block) throws FallbackException {
    Storage storage = source.storageOf(block);
    Volume volume = volumes.get(storage);
    if (volume == null) {
      refresh();
      volume = volumes.get(storage);
    }
    if (volume == null) {
      throw new FallbackException(
          FallbackReason.STORAGE_UNSUPPORTED,
          storage.volumeRoot() + " is not a storage directory in use");
    }
    return volume;
  }

  Collection<Volume> all() {
    return volumes.values();
  }

  /** Takes in storage directories that came and forgets those that went. */
  synchronized void refresh() {
    List<Storage> now = source.storages();
    for (Storage storage : now) {
      volumes.computeIfAbsent(storage, maker);
    }
    Set<Storage> gone = new HashSet<>(volumes.keySet());
    now.forEach(gone::remove);
    for (Storage storage : gone) {
      LOG.info("Storage directory {} is no longer in use", storage.volumeRoot());
      Volume volume = volumes.remove(storage);
      if (volume != null) {
        whenGone.accept(volume);
      }
    }
  }
}
