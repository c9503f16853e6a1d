// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.FallbackException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A way that reads to buffers only, for what sends the bytes knows no arrays. */
public abstract class BufferWay implements BlockWay {
  /**
   * Reads some of what a buffer of this read's own has room for, from its position on; where that
   * and its limit are afterwards does not matter.
   */
  protected abstract int read(long offset, ByteBuffer target) throws FallbackException, IOException;

  @Override
  public final int read(long offset, byte[] target, int at, int count)
      throws FallbackException, IOException {
    return read(offset, ByteBuffer.wrap(target, at, count));
  }

  @Override
  public final int read(long offset, ByteBuffer target, int at, int count)
      throws FallbackException, IOException {
    ByteBuffer mine = target.duplicate();
    mine.limit(at + count);
    mine.position(at);
    return read(offset, mine);
  }
}
