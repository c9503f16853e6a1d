// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** A way that serves a block's bytes, unless it is told otherwise; it counts what is done to it. */
final class FakeWay implements BlockWay, BlockWay.Opener {
  static final int DISTANCE = 7;

  /** What happens in the middle of a read. */
  interface Event {
    void happens() throws FallbackException, IOException;
  }

  final AtomicInteger opened = new AtomicInteger();
  final AtomicInteger reads = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();

  /** How often whether it is by the device. */
  final AtomicInteger asked = new AtomicInteger();

  private final byte[] bytes;
  volatile Event inOpen = () -> {};
  volatile Event inRead = () -> {};
  volatile boolean exists = true;
  volatile boolean serves = true;
  volatile boolean byDevice = true;

  FakeWay(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  @SuppressWarnings("NullAway") // as its interface has it
  public BlockWay open(BlockToRead block) throws FallbackException {
    opened.incrementAndGet();
    try {
      inOpen.happens();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return exists ? this : null;
  }

  @Override
  public int read(long offset, byte[] target, int at, int count)
      throws FallbackException, IOException {
    return read(offset, ByteBuffer.wrap(target), at, count);
  }

  /** Half of the bytes are wrong ones until all of them are there. */
  @Override
  public int read(long offset, ByteBuffer target, int at, int count)
      throws FallbackException, IOException {
    reads.incrementAndGet();
    target.put(at, new byte[(count + 1) / 2]);
    inRead.happens();
    if (!serves) {
      return 0;
    }
    target.put(at, bytes, (int) offset, count);
    return count;
  }

  @Override
  public boolean isByDevice() {
    asked.incrementAndGet();
    return byDevice;
  }

  @Override
  public int networkDistance() {
    return DISTANCE;
  }

  @Override
  public void close() {
    closed.incrementAndGet();
  }
}
