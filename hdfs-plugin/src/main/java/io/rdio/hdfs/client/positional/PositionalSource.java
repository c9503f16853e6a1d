// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.positional;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.client.way.BlockWay;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.jspecify.annotations.Nullable;

/** Port: by what the blocks of one file can be read by position. Thread-safe. */
public interface PositionalSource {
  /** Whether the file's file system is open: its streams outlive it, but read no more. */
  boolean isOpen();

  /**
   * Whether there may be ways at present, to whatever block. Where not, nobody need find out which
   * block a read is in.
   */
  boolean mayRead();

  /**
   * A way to all of a block, for any number of threads. Does not wait.
   *
   * @return null where there is none at present
   * @throws FallbackException why there is none; not counted
   */
  @Nullable BlockWay open(LocatedBlock block) throws FallbackException;

  /** Is told of bytes that one call got by such ways. */
  void read(int bytes);

  /**
   * Is told of bytes that came by a way for one read alone, which no other read uses.
   *
   * @param by that way, not closed yet
   * @param nanos how long the read took
   */
  void read(int bytes, BlockWay by, long nanos);

  /** Is told of an accident, which Hadoop's own read may not meet. */
  void failed(Throwable accident);
}
