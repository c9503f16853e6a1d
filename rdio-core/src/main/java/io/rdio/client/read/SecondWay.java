// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Port of a second way to a block's bytes, beside its device: a DataNode. What it gives is verified
 * as its reader wants it. Safe for any number of threads.
 *
 * <p>It must know nothing of its reader, which may be lost without being closed: what was brought
 * for it is given back when it is garbage.
 */
public interface SecondWay {
  /** Bytes of the block from an offset on, in their order. For one thread at a time. */
  interface Range extends Closeable {
    /**
     * Fills a buffer from its position to its limit with what is behind the last read.
     *
     * @param offset of the first of these bytes in the block
     * @throws IOException where it cannot; or is closed meanwhile, or the thread is interrupted
     */
    void read(long offset, ByteBuffer target) throws IOException;

    /** Ends a read that is under way, soon. From any thread, at any time and repeatedly. */
    @Override
    void close();
  }

  /**
   * Opens {@code [start, end)} of the block.
   *
   * @throws IOException where it cannot; or the thread is interrupted
   */
  Range open(long start, long end) throws IOException;
}
