// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The image of a device in a file. It is read through the page cache, which has what the file has;
 * that of a device need not.
 */
final class ImageFile implements BlockDevice {
  private final String name;
  private final FileChannel channel;
  private final long size;

  private ImageFile(String name, FileChannel channel, long size) {
    this.name = name;
    this.channel = channel;
    this.size = size;
  }

  // The descriptor is closed when the garbage collector finds the channel unreachable.
  static ImageFile open(Path file) throws FallbackException {
    try {
      FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
      return new ImageFile(file.toString(), channel, channel.size());
    } catch (AccessDeniedException e) {
      throw new FallbackException(FallbackReason.DEVICE_PERMISSION, "open of " + file, e);
    } catch (IOException e) {
      throw new FallbackException(FallbackReason.DEVICE_NOT_FOUND, "open of " + file + ": " + e, e);
    }
  }

  @Override
  public String name() {
    return name;
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
    try {
      long at = offset;
      while (target.hasRemaining()) {
        int count = channel.read(target, at);
        if (count < 0) {
          throw new EOFException("the file ends at " + at);
        }
        at += count;
      }
    } catch (IOException e) {
      throw new FallbackException(
          FallbackReason.DEVICE_IO_ERROR, "read at " + offset + " of " + name + ": " + e, e);
    }
  }
}
