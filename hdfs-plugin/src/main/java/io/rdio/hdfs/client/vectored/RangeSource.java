// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/** Port: where the ranges of a file's blocks can be read several at a time. Thread-safe. */
public interface RangeSource {
  /**
   * Whether it may have reads of any block at present. Where not, nobody need ask the NameNode for
   * blocks that only {@link #open} is interested in.
   */
  boolean mayRead();

  /**
   * Reads of a block.
   *
   * @param end where the last range ends, in bytes from the block's start
   * @param wanted bytes of all ranges
   * @return null where its ranges are to be read one by one
   * @throws FallbackException why they are; not counted
   */
  @Nullable RangeReads open(LocatedBlock block, long end, long wanted) throws FallbackException;

  /** Is told of bytes of a whole range, which came by it. */
  void read(int bytes);

  /** Is told how many ranges of one call were under way together. */
  void together(int ranges);

  /** Is told of an accident, which a read of the range alone may not meet. */
  void failed(Throwable accident);
}
