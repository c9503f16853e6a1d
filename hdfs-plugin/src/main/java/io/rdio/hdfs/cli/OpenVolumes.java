// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.datanode.volume.VolumeRemoval;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Volumes that DataNodes are kept away from until this is closed, or this JVM ends, by Ctrl-C too:
 * a lock that stayed behind would keep a DataNode of another user from starting. Thread-safe.
 */
final class OpenVolumes implements AutoCloseable {
  private final Map<Path, VolumeRemoval> open = new LinkedHashMap<>();
  private final Thread hook = new Thread(this::closeAtExit, "let-datanodes-in");
  private boolean closed;

  private OpenVolumes() {}

  /** With no volume yet. */
  static OpenVolumes none() {
    OpenVolumes volumes = new OpenVolumes();
    Runtime.getRuntime().addShutdownHook(volumes.hook);
    return volumes;
  }

  /**
   * Shuts DataNodes out of one more volume; see {@link VolumeRemoval#open}.
   *
   * @return false when RDIO keeps nothing there
   */
  synchronized boolean open(Path volume, boolean dryRun) throws IOException {
    if (closed) {
      throw new InterruptedIOException("interrupted");
    }
    VolumeRemoval removal = VolumeRemoval.open(volume, dryRun);
    if (removal != null) {
      open.put(volume, removal);
    }
    return removal != null;
  }

  /** Those that were opened, in that order. */
  synchronized Map<Path, VolumeRemoval> all() {
    return new LinkedHashMap<>(open);
  }

  private void closeAtExit() {
    try {
      closeAll();
    } catch (IOException e) {
      // Nobody reads on; the kernel ends the lock in any case.
    }
  }

  private synchronized void closeAll() throws IOException {
    closed = true;
    @Nullable IOException failure = null;
    for (VolumeRemoval removal : open.values()) {
      try {
        removal.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** Lets DataNodes in again. */
  @Override
  public void close() throws IOException {
    try {
      closeAll();
    } finally {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // It is running already.
      }
    }
  }
}
