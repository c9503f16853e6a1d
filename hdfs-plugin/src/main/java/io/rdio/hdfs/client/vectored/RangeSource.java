// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  /**
   * Has a DataNode read bytes of a block as stock HDFS does, and counts them so. By any thread.
   *
   * @param offset in the block
   * @param target takes them from its position on, which stays as it is
   * @throws FallbackException why there is no client that could ask one
   * @throws IOException as stock HDFS would
   */
  void readByDataNode(LocatedBlock block, long offset, ByteBuffer target, int count)
      throws FallbackException, IOException;

  /** Is told of bytes of a whole range, which came by it. */
  void read(int bytes);

  /** Is told how many ranges of one call were under way together. */
  void together(int ranges);

  /** Is told of an accident, which a read of the range alone may not meet. */
  void failed(Throwable accident);
}
