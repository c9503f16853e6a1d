// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Who works on what RDIO keeps on a volume: a lock on {@code <volume>/rdio/lock}, which the kernel
 * takes back when its process ends in whatever way. The plugin holds it while it uses the volume,
 * and {@code rdio uninstall} while it waits and removes.
 */
final class VolumeLock implements AutoCloseable {
  static final String NAME = "lock";

  private final @Nullable FileChannel channel;

  private VolumeLock(@Nullable FileChannel channel) {
    this.channel = channel;
  }

  /**
   * For the plugin; an earlier incarnation in this JVM, which uses it no more, is in nobody's way.
   */
  static VolumeLock ofPlugin(Path rdio) throws IOException {
    try {
      VolumeLock lock = tryLock(rdio);
      if (lock == null) {
        throw new IOException(
            rdio + " is locked by another process: rdio uninstall is at work there");
      }
      return lock;
    } catch (OverlappingFileLockException e) {
      return new VolumeLock(null);
    }
  }

  /** For the removal; null when a plugin has it. */
  static @Nullable VolumeLock ofRemoval(Path rdio) throws IOException {
    try {
      return tryLock(rdio);
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  private static @Nullable VolumeLock tryLock(Path rdio) throws IOException {
    FileChannel channel =
        FileChannel.open(rdio.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      FileLock lock = channel.tryLock();
      locked = lock != null;
      return locked ? new VolumeLock(channel) : null;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
