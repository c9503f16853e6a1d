// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.datacache.BlockDataCache;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;

/**
 * How verified bytes get into the caller's kind of memory. Without state, so that both kinds share
 * one read path and a read into an array need not allocate a buffer around it.
 */
interface Destination<T> {
  /** Copies what the window has from {@code offset} on; see {@link ReadWindow#copy}. */
  int copy(ReadWindow window, long offset, T target, int at, int count);

  /** Copies what the cache has from {@code offset} on; see {@link BlockDataCache#read}. */
  int copy(BlockDataCache cache, BlockKey block, long offset, T target, int at, int count);

  /** Reads past the windows where this memory allows it; see {@link ReadAhead#readInPlace}. */
  int readInPlace(
      ReadAhead ahead,
      MappedReplica replica,
      long offset,
      T target,
      int at,
      int count,
      int size,
      MonotonicClock clock)
      throws FallbackException;

  Destination<byte[]> ARRAY =
      new Destination<>() {
        @Override
        public int copy(ReadWindow window, long offset, byte[] target, int at, int count) {
          return window.copy(offset, target, at, count);
        }

        @Override
        public int copy(
            BlockDataCache cache, BlockKey block, long offset, byte[] target, int at, int count) {
          return cache.read(block, offset, target, at, count);
        }

        @Override
        public int readInPlace(
            ReadAhead ahead,
            MappedReplica replica,
            long offset,
            byte[] target,
            int at,
            int count,
            int size,
            MonotonicClock clock) {
          return 0;
        }
      };

  Destination<ByteBuffer> BUFFER =
      new Destination<>() {
        @Override
        public int copy(ReadWindow window, long offset, ByteBuffer target, int at, int count) {
          return window.copy(offset, target, at, count);
        }

        @Override
        public int copy(
            BlockDataCache cache,
            BlockKey block,
            long offset,
            ByteBuffer target,
            int at,
            int count) {
          return cache.read(block, offset, target, at, count);
        }

        @Override
        public int readInPlace(
            ReadAhead ahead,
            MappedReplica replica,
            long offset,
            ByteBuffer target,
            int at,
            int count,
            int size,
            MonotonicClock clock)
            throws FallbackException {
          return ahead.readInPlace(replica, offset, target, at, count, size, clock);
        }
      };
}
