// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.datanode.allocate.SlotDirectory.Kept;
import io.rdio.datanode.volume.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the links away that an earlier start kept files of blocks by (W15), on a DataNode that
 * lends no slots: else each block that HDFS deletes would keep its space. For one thread at a time,
 * which waits for no disk.
 */
public final class KeptRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(KeptRemoval.class);

  private final Supplier<List<Storage>> storages;
  private final WriteThreads threads;
  private final Set<Storage> done = new HashSet<>();

  /**
   * @param storages in use at the moment
   */
  public KeptRemoval(Supplier<List<Storage>> storages, WriteThreads threads) {
    this.storages = storages;
    this.threads = threads;
  }

  /**
   * Has it done, on threads of theirs, for storage directories that came. To be called again and
   * again.
   */
  public void upkeep() {
    List<Storage> now = storages.get();
    done.retainAll(now);
    for (Storage storage : now) {
      if (storage.supported() && done.add(storage)) {
        threads.upkeep(storage.volumeRoot()).execute(() -> remove(storage.volumeRoot()));
      }
    }
  }

  private static void remove(Path volumeRoot) {
    SlotDirectory directory = new SlotDirectory(volumeRoot, 0);
    try {
      for (Kept kept : directory.kept()) {
        Files.deleteIfExists(directory.link(kept));
      }
    } catch (IOException e) {
      LOG.warn(
          "Files of blocks are still kept on {}, and their space when HDFS deletes them: start the"
              + " DataNode again",
          volumeRoot,
          e);
    }
  }
}
