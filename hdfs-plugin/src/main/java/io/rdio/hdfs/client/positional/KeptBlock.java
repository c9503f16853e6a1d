// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A block of a file together with a way to it. Safe for any number of threads. */
final class KeptBlock {
  private final long start;
  private final long end;
  private final BlockWay way;
  private volatile boolean closed;

  /** Either of a way's two reads. */
  @FunctionalInterface
  interface Reads<T> {
    int by(BlockWay way, long offset, T target, int at, int count)
        throws FallbackException, IOException;
  }

  /**
   * @param start the block's first byte in the file
   * @param end behind its last one
   */
  KeptBlock(long start, long end, BlockWay way) {
    this.start = start;
    this.end = end;
    this.way = way;
  }

  long start() {
    return start;
  }

  /** Whether the block holds an offset of the file. */
  boolean holds(long offset) {
    return offset >= start && offset < end;
  }

  /**
   * Reads some of what the block has of a range of the file, which begins in the block.
   *
   * @return bytes read; 0 where the way does not serve them, {@link BlockWay#NOT_NOW} not this once
   */
  <T> int read(Reads<T> read, long offset, T target, int at, int count)
      throws FallbackException, IOException {
    try {
      return read.by(way, offset - start, target, at, (int) Math.min(count, end - offset));
    } finally {
      if (closed) {
        way.close(); // it may have been closed before this read opened something
      }
    }
  }

  /**
   * The block with a way for one read alone, which the kept way does not serve this once.
   *
   * @param count bytes that are wanted; those behind the block are not read by it
   * @return null where there is none
   */
  @Nullable KeptBlock onlyOnce(long offset, int count) {
    BlockWay once = way.onlyOnce(Math.min(offset + count, end) - start);
    return once == null ? null : new KeptBlock(start, end, once);
  }

  /** The way to it. */
  BlockWay way() {
    return way;
  }

  /** Closes the way; reads under way end as it says. Idempotent. */
  void close() {
    closed = true;
    way.close();
  }
}
