// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy.MapVerdict;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.RangeQueue;
import io.rdio.core.block.RangeReads;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of a block by a client that opens the device itself: each by one or several windows of a
 * {@link ReadAhead} that they have to themselves. The block data cache is passed over.
 */
public final class ExtentRanges implements RangeReads {
  private final ReadContext context;
  private final MappedReplica replica;
  private final ReadAhead ahead;
  private final RangeQueue ranges = new RangeQueue();
  private boolean closed;

  /**
   * @param ahead without windows; {@link #close} gives it back
   */
  private ExtentRanges(ReadContext context, MappedReplica replica, ReadAhead ahead) {
    this.context = context;
    this.replica = replica;
    this.ahead = ahead;
  }

  /**
   * Waits for the block's map, and for nothing else.
   *
   * @param length where the caller stops reading, in bytes from the block's start
   * @return null where no queue is free, or there are none: then several threads read sooner
   * @throws FallbackException why stock HDFS must serve this block
   */
  public static @Nullable ExtentRanges open(
      ReadContext context, BlockRequest request, boolean verifyChecksum, long length)
      throws FallbackException {
    MappedReplica replica = context.resolve(request, verifyChecksum, length);
    replica.device().requireAnswering();
    ReadAhead ahead = context.readAheads().tryBorrow(context.clock());
    if (ahead != null && !ahead.hasQueue()) {
      context.readAheads().giveBack(ahead);
      return null;
    }
    return ahead == null ? null : new ExtentRanges(context, replica, ahead);
  }

  @Override
  public int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    int begun = ahead.beginRange(replica, offset, count);
    if (begun > 0) {
      ranges.add(offset, target, at, begun);
    }
    return begun;
  }

  @Override
  public void submit() throws FallbackException {
    ahead.session().queue().submit();
  }

  @Override
  public int underWay() {
    return ranges.size();
  }

  @Override
  public int complete() throws FallbackException {
    RangeQueue.Range range = ranges.removeFirst();
    Piece piece = Piece.ofThread().of(range.offset(), range.target(), range.at(), range.count());
    try {
      ahead.completeFirst(piece);
    } catch (FallbackException e) {
      if (e.reason().policy().mapVerdict() == MapVerdict.SUSPECT) {
        // Whoever reads the range once more may not meet it again, nor then tell of it.
        context.counters().checksumMismatches.increment();
      }
      throw e;
    } finally {
      piece.release();
    }
    context.counters().rdioReads.increment();
    context.counters().rdioBytes.add(range.count());
    return range.count();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ranges.clear();
      context.readAheads().giveBack(ahead);
    }
  }
}
