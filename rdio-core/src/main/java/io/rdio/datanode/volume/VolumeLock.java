// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * HDFS's own lock on a storage directory, {@code in_use.lock}: a DataNode that runs has it, and the
 * kernel takes it back when its process ends in whatever way. RDIO has none of its own, for an open
 * file would keep a volume that was taken out of HDFS from being unmounted.
 */
final class VolumeLock implements AutoCloseable {
  static final String NAME = "in_use.lock";

  private final FileChannel channel;
  private final Path file;
  private final @Nullable Object key;
  private final boolean made;

  private VolumeLock(FileChannel channel, Path file, boolean made) throws IOException {
    this.channel = channel;
    this.file = file;
    this.key = key(file);
    this.made = made;
  }

  /** Keeps DataNodes away; null when one has it. */
  static @Nullable VolumeLock tryLock(Path volumeRoot) throws IOException {
    Path file = volumeRoot.resolve(NAME);
    boolean made = !Files.exists(file);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    boolean locked = false;
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        return null;
      }
      VolumeLock held = new VolumeLock(channel, file, made);
      locked = true;
      return held;
    } catch (OverlappingFileLockException e) {
      // Not closed: that would end the lock which this process has on the file already.
      locked = true;
      return null;
    } finally {
      if (!locked) {
        channel.close();
      }
    }
  }

  /**
   * Whether what was locked is still what a DataNode would lock: one that was ending meanwhile
   * removes its file, and the next one makes another.
   */
  boolean holds() throws IOException {
    return channel.isOpen() && Files.exists(file) && Objects.equals(key, key(file));
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Without effect the second time: the file may be another's by then. */
  @Override
  public void close() throws IOException {
    try {
      // One that another user left would keep the DataNode from starting.
      if (made && holds()) {
        Files.deleteIfExists(file);
      }
    } finally {
      channel.close();
    }
  }
}
