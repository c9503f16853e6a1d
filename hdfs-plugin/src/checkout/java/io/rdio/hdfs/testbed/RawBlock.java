// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The last block of a device, which the file system on it does not use, as one host sees it. Holds
 * a number; read and written past the page cache. For one thread.
 */
final class RawBlock implements AutoCloseable {
  private static final int BYTES = 4096;

  private final FileChannel device;
  private final long offset;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(2 * BYTES).alignedSlice(BYTES);

  /**
   * @param node of the host's device
   * @param deviceBytes its size
   */
  RawBlock(Path node, long deviceBytes) throws IOException {
    device =
        FileChannel.open(
            node, StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
    offset = deviceBytes - BYTES;
  }

  /** Its number in blocks of 4 KiB. */
  long number() {
    return offset / BYTES;
  }

  long read() throws IOException {
    buffer.clear().limit(BYTES);
    if (device.read(buffer, offset) != BYTES) {
      throw new IOException("the last block of the device cannot be read as a whole");
    }
    return buffer.getLong(0);
  }

  void write(long value) throws IOException {
    buffer.clear().limit(BYTES).putLong(0, value);
    if (device.write(buffer, offset) != BYTES) {
      throw new IOException("the last block of the device was not written as a whole");
    }
  }

  @Override
  public void close() throws IOException {
    device.close();
  }
}
