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
   * Copies what is cached of a range, from its start on.
   *
   * @return bytes copied, 0 to {@code count}
   * @throws FallbackException LEASE_EXPIRED: no block is served without a lease on it
   */
  static <T> int copy(
      BlockDataCache cache,
      MappedReplica from,
      MonotonicClock clock,
      long offset,
      Destination<T> destination,
      T target,
      int at,
      int count)
      throws FallbackException {
    from.guardBefore(clock);
    return destination.copy(cache, from.map().block(), offset, target, at, count);
  }

  /**
   * Reads a range with the rest of the chunks that it begins and ends in, if the cache admits them,
   * and caches these chunks. Bytes that are not verified are never cached.
   *
   * @param ahead empty
   * @param size most data bytes of a window
   * @return {@code count}, or 0 where nothing was done
   */
  static <T> int readAndKeep(
      BlockDataCache cache,
      ReadAhead ahead,
      MappedReplica from,
      MonotonicClock clock,
      int size,
      long offset,
      Destination<T> destination,
      T target,
      int at,
      int count)
      throws FallbackException {
    long end = offset + count;
    if (!from.verify() || !cache.admits(from.map().block(), offset, end)) {
      return 0;
    }
    long stop = Math.min(cache.ceil(end), from.map().blockLength());
    long next = cache.floor(offset);
    int done = 0;
    while (next < stop) {
      // Not cut at the block's end: a window takes whole chunks of the checksum, the last one too.
      int piece = (int) Math.min(cache.ceil(end) - from.chunkFloor(next), size);
      ahead.advance(from, next, stop, piece, ahead.maxWindows(), clock);
      ReadWindow window = ahead.current();
      if (offset + done < Math.min(window.end(), end)) {
        done += destination.copy(window, offset + done, target, at + done, count - done);
      }
      cache.insert(from.map(), next, window.end(), window::copy);
      next = window.end();
    }
    return done;
  }
}
