// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackPolicy.MapVerdict;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.RangeQueue;
import io.rdio.core.block.RangeReads;
import io.rdio.core.device.DeviceIdentity;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of a block by a client that opens the device itself: each by one or several windows of a
 * {@link ReadAhead} that they have to themselves; where maps of several replicas are kept, each
 * window by the device that will have it first. The block data cache is passed over.
 */
public final class ExtentRanges implements RangeReads {
  private final ReadContext context;
  private final MappedReplica replica;
  private final ReplicasBeside beside;
  private final ReadAhead ahead;
  private final RangeQueue ranges = new RangeQueue();
  private final Suspects suspects;
  private boolean closed;

  /** Who is to ask stock HDFS about replicas whose bytes do not match their CRCs. */
  @FunctionalInterface
  public interface Suspects {
    /**
     * A range was wrong; its map is not read by any more.
     *
     * @param suspect the map that it was read by
     */
    void found(FileMap suspect, long from, int count);
  }

  /**
   * @param ahead without windows; {@link #close} gives it back
   */
  private ExtentRanges(
      ReadContext context,
      MappedReplica replica,
      ReplicasBeside beside,
      ReadAhead ahead,
      Suspects suspects) {
    this.context = context;
    this.replica = replica;
    this.beside = beside;
    this.ahead = ahead;
    this.suspects = suspects;
  }

  /**
   * Waits for the block's map, and for nothing else.
   *
   * @param length where the caller stops reading, in bytes from the block's start
   * @param suspects told by the thread that reads
   * @return null where no queue is free, or there are none: then several threads read sooner
   * @throws FallbackException why stock HDFS must serve this block
   */
  public static @Nullable ExtentRanges open(
      ReadContext context,
      BlockRequest request,
      boolean verifyChecksum,
      long length,
      Suspects suspects)
      throws FallbackException {
    MappedReplica replica = context.resolve(request, verifyChecksum, length);
    replica.device().requireAnswering();
    ReadAhead ahead = context.readAheads().tryBorrow(context.clock());
    if (ahead != null && !ahead.hasQueue()) {
      context.readAheads().giveBack(ahead);
      return null;
    }
    if (ahead == null) {
      return null;
    }
    // Not before: without these the ranges are read one by one, and each read is a request.
    context.maps().requested(request.block());
    ReplicasBeside beside = new ReplicasBeside(context, request, verifyChecksum, length);
    return new ExtentRanges(context, replica, beside, ahead, suspects);
  }

  /** The device that carries the bytes, or, with maps of several replicas, one of those. */
  public DeviceIdentity deviceIdentity() {
    return replica.map().device();
  }

  @Override
  public int begin(long offset, ByteBuffer target, int at, int count) throws FallbackException {
    ahead.session().begunAt(context.clock().nanos());
    ahead.spreadOver(beside.look(replica, ahead.session()));
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
      failed(range, e.reason());
      throw e;
    } finally {
      piece.release();
    }
    context.counters().rdioReads.increment();
    context.counters().rdioBytes.add(range.count());
    return range.count();
  }

  /** Whoever reads the range once more may read by another replica, and not tell of this one. */
  private void failed(RangeQueue.Range range, FallbackReason reason) {
    MappedReplica by = ahead.lastReadBy();
    FileMap map = by == null ? replica.map() : by.map();
    if (context.reject(map, reason) == MapVerdict.SUSPECT) {
      suspects.found(map, range.offset(), range.count());
    }
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
