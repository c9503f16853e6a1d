// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One way by which a block's bytes come to its reader. It is asked for every read until one is not
 * for it, or fails; from then on the way behind it serves. Safe for any number of threads.
 */
public interface BlockWay extends Closeable {
  /** What a positional way answers to a read that another way is to serve, this once. */
  int NOT_NOW = -1;

  /** Opens a way to blocks. Safe for any number of threads. */
  @FunctionalInterface
  interface Opener {
    /**
     * The way to a block; what it takes to read is at hand. May wait for it.
     *
     * @return null where there is no such way to this block, and the one behind it is to be opened
     * @throws FallbackException why stock HDFS is to read the block, whatever other ways there are;
     *     not counted yet
     */
    @Nullable BlockWay open(BlockToRead block) throws FallbackException;

    /**
     * Whether {@link #openRanges} may have any at present, to whatever block; where not, nobody
     * need find out which block that would be.
     */
    default boolean mayHaveRanges() {
      return false;
    }

    /**
     * Reads of several ranges of a block at a time. May wait for what it takes to read.
     *
     * @param wanted bytes of all ranges
     * @return null where this way has none to this block, and the one behind it is to be asked
     * @throws FallbackException why ranges of this block are to be read one by one; not counted,
     *     for that meets it again
     */
    default @Nullable RangeReads openRanges(BlockToRead block, long wanted)
        throws FallbackException {
      return null;
    }

    /**
     * A way for reads that have nothing to do with each other: each begins anew, as if the way were
     * opened for it alone. Any number of threads may be in it at a time. There is one only while
     * what it takes to read is here already: nobody waits, and a first visit to a block is not
     * taken for a second one. A read that it answers by {@link #NOT_NOW} is for {@link #onlyOnce},
     * or else for who opens the block for it alone; later ones come here again.
     *
     * @return null where this is none to this block, and the one behind it is to be asked
     * @throws FallbackException why the block is to be opened for each read; not counted, for that
     *     meets it again
     */
    default @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
      return null;
    }
  }

  /**
   * Reads some of {@code [offset, offset + count)}, which is not empty and within the length of the
   * {@link BlockToRead}; what is behind the bytes read may have been written to.
   *
   * @return bytes read; 0 for what the way behind this one is to serve, and all later reads
   * @throws FallbackException why this way cannot serve, and the one behind it is to serve this and
   *     all later reads. But ACCESSOR_CLOSED is for the caller when the way was closed meanwhile,
   *     and INTERRUPTED when the thread is; later reads then come here again
   * @throws IOException as a FallbackException; the last way's is for the caller
   */
  int read(long offset, byte[] target, int at, int count) throws FallbackException, IOException;

  /**
   * The same to {@code [at, at + count)} of a buffer, whose position and limit stay as they are.
   */
  int read(long offset, ByteBuffer target, int at, int count) throws FallbackException, IOException;

  /**
   * A way for one read that a positional way answered by {@link #NOT_NOW}; it is that read's alone,
   * whose thread closes it. What the positional way holds is still there then.
   *
   * @param end where the read stops, in bytes from the block's start
   * @return null where there is none, and the block is to be opened for that read
   */
  default @Nullable BlockWay onlyOnce(long end) {
    return null;
  }

  /** Whether no DataNode carried the bytes of the last read, or will carry those of the first. */
  boolean isByDevice();

  /** As Hadoop counts it, to who sends the bytes; 0 for those of this host's devices. */
  int networkDistance();

  /**
   * Frees what it holds; waits for no read under way. Comes at any time, from any thread, and
   * repeatedly: again behind each read that was under way when it came first.
   */
  @Override
  void close();
}
