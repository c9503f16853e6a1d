// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.linux.DurableFiles;
import io.rdio.datanode.volume.Replica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes the names of a volume's finalized replicas durable. It remembers which folders have durable
 * names themselves: there are as many as HDFS spreads replicas over. Thread-safe.
 */
final class ReplicaNames {
  private final Syncing syncing;
  private final Set<Named> durable = ConcurrentHashMap.newKeySet();

  /** As {@link DurableFiles#syncDirectory}. */
  interface Syncing {
    void sync(Path folder) throws IOException;
  }

  /** A folder at its place: whatever comes there later is another one. */
  private record Named(Path place, @Nullable Object key) {
    static Named of(Path folder) throws IOException {
      return new Named(folder, Files.readAttributes(folder, BasicFileAttributes.class).fileKey());
    }
  }

  /** Of one volume, while it is in use. */
  ReplicaNames() {
    this(DurableFiles::syncDirectory);
  }

  ReplicaNames(Syncing syncing) {
    this.syncing = syncing;
  }

  /**
   * Syncs the folder of its files, and those above it, up to the volume's own, whose entry for the
   * one below may be new.
   */
  void sync(Replica replica) throws IOException {
    syncUp(replica.blockFile(), replica.volumeRoot());
    if (!replica.metaFile().resolveSibling(".").equals(replica.blockFile().resolveSibling("."))) {
      syncUp(replica.metaFile(), replica.volumeRoot());
    }
  }

  private void syncUp(Path file, Path root) throws IOException {
    List<Named> named = new ArrayList<>();
    boolean mayHaveNewName = true;
    Path folder = file.getParent();
    while (folder != null && folder.startsWith(root) && !folder.equals(root)) {
      if (mayHaveNewName) {
        syncing.sync(folder);
      }
      Named own = Named.of(folder);
      mayHaveNewName = !durable.contains(own);
      named.add(own);
      folder = folder.getParent();
    }
    durable.addAll(named);
  }
}
