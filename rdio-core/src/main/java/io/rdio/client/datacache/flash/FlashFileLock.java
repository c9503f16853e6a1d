// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The right of one process, and one user of it, to a flash tier's file. It is a POSIX lock, which
 * the close of any descriptor of the locked file in this process ends: so what is locked is a file
 * beside it, which nothing else opens, and which is never removed.
 */
final class FlashFileLock implements AutoCloseable {
  private static final Set<OpenOption> OPTIONS =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

  /** Files locked here: to open and close one of them once more would end its lock. */
  private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

  /** Second descriptors of locked files, by another class loader or name; for ever, likewise. */
  private static final Set<FileChannel> LEFT_OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;

  private FlashFileLock(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Takes it.
   *
   * @param path as {@link OwnFiles#place} has it
   * @throws IOException if somebody else has it, or the file of the lock cannot be used
   */
  static FlashFileLock of(Path path) throws IOException {
    if (!IN_USE.add(path)) {
      throw inUse(path, null);
    }
    boolean locked = false;
    try {
      FlashFileLock lock = new FlashFileLock(path, open(path));
      locked = true;
      return lock;
    } finally {
      if (!locked) {
        IN_USE.remove(path);
      }
    }
  }

  private static FileChannel open(Path path) throws IOException {
    Path beside = path.resolveSibling(path.getFileName() + ".lock");
    OwnFiles.check(beside, false);
    FileChannel channel = FileChannel.open(beside, OPTIONS, OwnFiles.ownersAlone());
    boolean close = true;
    try {
      OwnFiles.check(beside, true);
      if (channel.tryLock() == null) {
        throw inUse(path, null);
      }
      close = false;
      return channel;
    } catch (OverlappingFileLockException e) {
      close = false;
      LEFT_OPEN.add(channel);
      throw inUse(path, e);
    } finally {
      if (close) {
        channel.close();
      }
    }
  }

  private static IOException inUse(Path path, @Nullable Throwable cause) {
    return new IOException(path + " is in use by this process or another one", cause);
  }

  /** The file that the lock is for. */
  Path path() {
    return path;
  }

  /** Gives it up; to be called once. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The descriptor is gone, and the lock with it.
    } finally {
      IN_USE.remove(path);
    }
  }
}
