// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.linux.DurableFiles;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.nio.file.Path;

/** Makes the names of a finalized replica durable. */
final class ReplicaNames {
  private ReplicaNames() {}

  /** Syncs the folders that name its files, up to the volume's own: some may be new. */
  static void sync(Replica replica) throws IOException {
    syncUp(replica.blockFile(), replica.volumeRoot());
    if (!replica.metaFile().resolveSibling(".").equals(replica.blockFile().resolveSibling("."))) {
      syncUp(replica.metaFile(), replica.volumeRoot());
    }
  }

  private static void syncUp(Path file, Path root) throws IOException {
    Path folder = file.getParent();
    while (folder != null && folder.startsWith(root) && !folder.equals(root)) {
      DurableFiles.syncDirectory(folder);
      folder = folder.getParent();
    }
  }
}
