// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** A device whose power is cut: it goes on as it was at that moment. */
final class CutDevice implements BlockDevice, AutoCloseable {
  private final ReadWriteLock lock = new ReentrantReadWriteLock(true);
  private final long size;
  private FileChannel channel;

  CutDevice(Path file) throws IOException {
    channel = FileChannel.open(file, StandardOpenOption.READ);
    size = channel.size();
  }

  /** Copies the device as it is at one moment. */
  @FunctionalInterface
  interface Copy {
    Path make() throws IOException;
  }

  /** From that moment on nobody reads anything but the copy. */
  void cut(Copy copy) throws IOException {
    lock.writeLock().lock();
    try {
      FileChannel after = FileChannel.open(copy.make(), StandardOpenOption.READ);
      channel.close();
      channel = after;
    } finally {
      lock.writeLock().unlock();
    }
  }

  @Override
  public String name() {
    return "cut";
  }

  @Override
  public int alignment() {
    return 1;
  }

  @Override
  public long sizeBytes() {
    return size;
  }

  @Override
  public void read(long offset, ByteBuffer target) throws FallbackException {
    lock.readLock().lock();
    try {
      long at = offset;
      while (target.hasRemaining()) {
        int count = channel.read(target, at);
        if (count < 0) {
          throw new IOException("it ends at " + at);
        }
        at += count;
      }
    } catch (IOException e) {
      throw new FallbackException(FallbackReason.DEVICE_IO_ERROR, "read at " + offset, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
