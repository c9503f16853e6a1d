// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.way;

import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ways that a client's reads can take, by their turn: the first that there is to a block serves
 * it, and where it does not, the one behind it. The last one is stock HDFS. Thread-safe.
 */
public final class BlockWays {
  private final ClientCounters counters;
  private final BlockWay.Opener[] openers;

  /**
   * @param counters of fallbacks, and of bytes by stock HDFS
   * @param openers those before stock HDFS, in their turn; for each block one of them opens a way
   *     or refuses
   */
  public BlockWays(ClientCounters counters, List<BlockWay.Opener> openers) {
    this.counters = counters;
    this.openers = openers.toArray(new BlockWay.Opener[0]);
  }

  /** What stock HDFS's turn is. */
  public int last() {
    return openers.length;
  }

  /**
   * Opens the way whose turn it is.
   *
   * @param turn from 0 to {@link #last}
   * @return null where there is none to this block; never for the last one
   * @throws FallbackException why stock HDFS is to read the block; never for the last one
   */
  public @Nullable BlockWay open(int turn, BlockToRead block) throws FallbackException {
    return turn == openers.length ? stock(block) : openers[turn].open(block);
  }

  /** Whether any way may have reads of several ranges at present, to whatever block. */
  public boolean mayHaveRanges() {
    for (BlockWay.Opener opener : openers) {
      if (opener.mayHaveRanges()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads of several ranges of a block at a time, by the first way that has them.
   *
   * @param wanted bytes of all ranges
   * @return null where no way has
   * @throws FallbackException why these ranges are to be read one by one; not counted
   */
  public @Nullable RangeReads openRanges(BlockToRead block, long wanted) throws FallbackException {
    for (BlockWay.Opener opener : openers) {
      RangeReads reads = opener.openRanges(block, wanted);
      if (reads != null) {
        return reads;
      }
    }
    return null;
  }

  /**
   * A way for reads that have nothing to do with each other, the first that there is.
   *
   * @return null where there is none at present
   * @throws FallbackException why the block is to be opened for each read; not counted
   */
  public @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
    for (BlockWay.Opener opener : openers) {
      BlockWay way = opener.openPositional(block);
      if (way != null) {
        return way;
      }
    }
    return null;
  }

  /** The last way. */
  public BlockWay stock(BlockToRead block) {
    return new StockWay(counters, block);
  }

  /** What reads by these ways count. */
  public ClientCounters counters() {
    return counters;
  }
}
