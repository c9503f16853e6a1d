// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.time.MonotonicClock;

/**
 * The block data cache on the way of a read: asked before the device is, and filled by positional
 * reads only, so that scanning a large file does not flush it. Without state.
 */
final class CachedReads {
  private CachedReads() {}

  /**
   * Copies what is cached of a piece, from its next byte on, perhaps nothing.
   *
   * @throws FallbackException LEASE_EXPIRED: no block is served without a lease on it
   */
  static void copy(BlockDataCache cache, MappedReplica from, MonotonicClock clock, Piece piece)
      throws FallbackException {
    from.guardBefore(clock);
    piece.take(cache, from.map().block());
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
    if (!from.verify() || !cache.admits(from.map().block(), piece.offset(), end)) {
      return;
    }
    long stop = Math.min(cache.ceil(end), from.map().blockLength());
    long next = cache.floor(piece.offset());
    while (next < stop) {
      // Not cut at the block's end: a window takes whole chunks of the checksum, the last one too.
      ahead.plan().fetchOnly(from.chunkFloor(next), cache.ceil(end), stop);
      ahead.advance(from, next);
      ReadWindow window = ahead.current();
      if (piece.offset() < Math.min(window.end(), end)) {
        piece.take(window);
      }
      cache.insert(from.map(), next, window.end(), window::copy);
      next = window.end();
    }
  }
}
