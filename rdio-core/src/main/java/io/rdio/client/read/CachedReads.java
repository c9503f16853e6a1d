// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;

/**
 * The block data cache on the way of a read: asked before the device is, and filled by positional
 * reads only, so that scanning a large file does not flush it. Without state.
 *
 * <p>It is filled from windows, never from the memory that a read goes to: in an agent that belongs
 * to another process, which may write to it at any time.
 */
final class CachedReads {
  private CachedReads() {}

  /**
   * Copies what is cached of a piece, from its next byte on, perhaps nothing.
   *
   * @param nowNanos on the clock of the lease, at present: nobody looks again behind this
   * @throws FallbackException LEASE_EXPIRED: no block is served without a lease on it
   */
  static void copy(BlockDataCache cache, MappedReplica from, long nowNanos, Piece piece)
      throws FallbackException {
    from.guardBefore(nowNanos);
    piece.take(cache, from.map());
  }

  /**
   * Reads a piece with the rest of the chunks that it begins and ends in, and caches these chunks;
   * does nothing if the cache does not admit them. Bytes that are not verified are never cached.
   *
   * @param ahead for a read that {@link ReadPlan#fillsCache}
   */
  static void readAndKeep(BlockDataCache cache, ReadAhead ahead, MappedReplica from, Piece piece)
      throws FallbackException {
    long end = piece.end();
    if (isAdmitted(cache, from, piece.offset(), end)) {
      keep(cache, ahead, from, piece);
    }
  }

  private static boolean isAdmitted(
      BlockDataCache cache, MappedReplica from, long offset, long end) {
    return from.verify() && cache.admits(from.map().block(), offset, end);
  }

  private static void keep(BlockDataCache cache, ReadAhead ahead, MappedReplica from, Piece piece)
      throws FallbackException {
    long end = piece.end();
    long stop = Math.min(cache.ceil(end), from.map().blockLength());
    long next = cache.floor(piece.offset());
    while (next < stop) {
      // Not cut at the block's end: a window takes whole chunks of the checksum, the last one too.
      ahead.plan().fetchOnly(from.chunkFloor(next), cache.ceil(end), stop);
      ahead.advance(from, next);
      ReadWindow window = ahead.current();
      window.check(next);
      if (piece.offset() < Math.min(window.end(), end)) {
        window.copy(piece);
      }
      cache.insert(from.map(), next, window.end(), window::copyChecked);
      next = window.end();
    }
  }

  /**
   * Brings bytes to memory of somebody else's without a read of the device into it: all from the
   * cache; or, if they will be wanted again and the cache admits them, from the chunks that they
   * lie in, which are read to windows, verified there and cached. That waits for the device.
   *
   * @param by the replica, and the queue of other reads, which go on meanwhile
   * @param fills whether they will be wanted again
   * @param to takes them from {@code at} on; its position and limit are changed
   * @return false if the device is to be read, for bytes that are not all here and are not cached
   *     now; some may have been copied
   * @throws FallbackException LEASE_EXPIRED, or that the device does not answer: then it is not to
   *     be read at all
   */
  static boolean bring(
      ReadContext context,
      ReadSession by,
      long offset,
      int count,
      boolean fills,
      ByteBuffer to,
      int at)
      throws FallbackException {
    BlockDataCache cache = context.dataCache();
    if (cache == null) {
      return false;
    }
    MappedReplica from = by.replica();
    by.guardBefore(from);
    by.hasWaited(); // a look at memory is short, but flash and the windows of keep() are waited for
    to.clear();
    if (cache.waitsForFlash(from.map(), offset, count)) {
      by.queue().submit(); // the device works meanwhile
    }
    if (cache.readAll(from.map(), offset, to, at, count)) {
      return true;
    }
    if (!fills || !isAdmitted(cache, from, offset, offset + count)) {
      return false;
    }
    by.queue().submit();
    return keep(context, cache, from, Piece.ofThread().of(offset, to, at, count));
  }

  /** The same for chunks that are admitted; false where another read may still bring the bytes. */
  private static boolean keep(
      ReadContext context, BlockDataCache cache, MappedReplica from, Piece piece)
      throws FallbackException {
    ReadAhead ahead = context.readAheads().tryBorrow(context.clock());
    if (ahead == null) {
      piece.release();
      return false;
    }
    try {
      ahead.plan(from, piece, piece.end(), ReadPlan.NOWHERE);
      keep(cache, ahead, from, piece);
      return piece.isDone();
    } catch (FallbackException e) {
      if (isOfTheChunks(e.reason())) {
        return false;
      }
      throw e;
    } finally {
      piece.release();
      context.readAheads().giveBack(ahead);
    }
  }

  /** What is wrong with whole chunks need not be wrong with the part of them that is wanted. */
  private static boolean isOfTheChunks(FallbackReason reason) {
    return reason == FallbackReason.CHECKSUM_MISMATCH
        || reason == FallbackReason.DEVICE_IO_ERROR
        || reason == FallbackReason.BUFFERS_EXHAUSTED;
  }
}
