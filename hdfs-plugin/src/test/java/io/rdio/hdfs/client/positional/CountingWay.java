// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A way to one block's bytes, which serves so much of a read at a time, until it is told not to.
 */
final class CountingWay implements BlockWay {
  /** What happens at a read. */
  interface Event {
    void happens() throws FallbackException, IOException;
  }

  final AtomicInteger reads = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();
  volatile Event atRead = () -> {};
  volatile int most = Integer.MAX_VALUE;

  /** For a read that is not for this one. */
  volatile @Nullable CountingWay once;

  /** Where the last such read stops. */
  volatile long onceEnd;

  private final byte[] bytes;

  CountingWay(byte[] bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read(long offset, byte[] target, int at, int count)
      throws FallbackException, IOException {
    return read(offset, ByteBuffer.wrap(target), at, count);
  }

  @Override
  public int read(long offset, ByteBuffer target, int at, int count)
      throws FallbackException, IOException {
    reads.incrementAndGet();
    atRead.happens();
    int served = Math.min(count, most);
    target.put(at, bytes, (int) offset, Math.max(0, served));
    return served;
  }

  @Override
  public @Nullable BlockWay onlyOnce(long end) {
    onceEnd = end;
    return once;
  }

  @Override
  public boolean isByDevice() {
    return true;
  }

  @Override
  public int networkDistance() {
    return 0;
  }

  @Override
  public void close() {
    closed.incrementAndGet();
  }
}
