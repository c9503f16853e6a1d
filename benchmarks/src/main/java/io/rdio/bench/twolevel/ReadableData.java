// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A data set that is open to be read. For one thread. */
interface ReadableData {
  /**
   * Reads blocks by way of the page cache.
   *
   * @param target whose remaining room is as many bytes, and is filled
   */
  void read(int first, int blocks, ByteBuffer target) throws IOException;

  /**
   * Fills a buffer from a file.
   *
   * @throws IOException also if the file ends before that
   */
  static void fill(ByteBuffer target, FileChannel file, long offset) throws IOException {
    long at = offset;
    while (target.hasRemaining()) {
      int count = file.read(target, at);
      if (count < 0) {
        throw new IOException("the data ends at " + at);
      }
      at += count;
    }
  }
}
