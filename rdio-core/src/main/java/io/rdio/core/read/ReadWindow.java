// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.FileMap;
import io.rdio.core.counters.ClientCounters;
import io.rdio.core.lease.Lease;
import io.rdio.core.lease.LeaseClock;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a block in memory, all of it verified, and the machinery that reads it there. A reader
 * borrows one from the {@link WindowPool} for a read, or keeps it from read to read.
 *
 * <p>What the window holds may be handed out later, also after the lease has run out: a generation
 * stamp names one immutable version of the block, and these bytes were proved to be that version's
 * when they came in. A stock reader's packet buffer is no different. The same goes for its CRCs.
 *
 * <p>For one thread at a time.
 */
final class ReadWindow {
  private final WindowPool pool;
  private final int size;
  private final ByteBuffer data;
  private final ByteBuffer crcs;
  private final ExtentGather gather;
  private final ChunkVerifier verifier = new ChunkVerifier();
  private final AtomicBoolean lent = new AtomicBoolean();

  // Verified bytes: [start, end) of the block, in data from dataAt.
  private long start;
  private long end;
  private int dataAt;

  // CRCs of crcCount chunks from chunk crcFirst, in crcs from crcAt, of the map with this lease.
  private @Nullable Lease crcLease;
  private long crcFirst;
  private int crcCount;
  private int crcAt;

  ReadWindow(WindowPool pool, int size, ByteBuffer data, ByteBuffer crcs, ClientCounters counters) {
    this.pool = pool;
    this.size = size;
    this.data = data;
    this.crcs = crcs;
    this.gather = new ExtentGather(counters);
  }

  /** Data bytes that it can hold. */
  int size() {
    return size;
  }

  void lend() {
    lent.set(true);
  }

  /** Gives it back to the pool, empty. */
  void release() {
    if (!lent.compareAndSet(true, false)) {
      throw new IllegalStateException("a read window was given back twice");
    }
    start = 0;
    end = 0;
    crcLease = null;
    pool.takeBack(this);
  }

  /** Whether the byte at this offset of the block is here. */
  boolean holds(long offset) {
    return offset >= start && offset < end;
  }

  /**
   * Copies bytes from an offset that the window {@link #holds}.
   *
   * @return bytes copied, at least 1; fewer than asked for where the window ends
   */
  int copy(long offset, byte[] target, int at, int length) {
    int count = (int) Math.min(length, end - offset);
    data.clear().get(dataAt + (int) (offset - start), target, at, count);
    return count;
  }

  /** The same into a buffer, at an absolute index. */
  int copy(long offset, ByteBuffer target, int at, int length) {
    int count = (int) Math.min(length, end - offset);
    target.put(at, data.clear(), dataAt + (int) (offset - start), count);
    return count;
  }

  /**
   * Replaces what is here with verified bytes from {@code offset} on, widened to whole chunks.
   *
   * @param wantedEnd where to stop if the window reaches that far
   * @param crcEnd how far the reader is going to read: CRCs are fetched ahead up to there, because
   *     a read of their own for every window's CRCs would cost nearly as much as its data
   * @throws FallbackException LEASE_EXPIRED, CHECKSUM_MISMATCH or what the device refused; the
   *     window is then empty
   */
  void fill(MappedReplica replica, long offset, long wantedEnd, long crcEnd, LeaseClock clock)
      throws FallbackException {
    start = 0;
    end = 0;
    long first = replica.chunkFloor(offset);
    int length = (int) (Math.min(replica.chunkCeil(wantedEnd), first + capacity(replica)) - first);
    replica.requireLease(clock, "ran out before the read");
    int crcsLoaded = loadCrcs(replica, first, length, crcEnd);
    int at = gather.read(replica.device(), replica.map().blockExtents(), first, length, data);
    confirm(replica, crcsLoaded, clock);
    verify(replica, first, length, data, at);
    start = first;
    end = first + length;
    dataAt = at;
  }

  /**
   * Reads whole chunks straight into the caller's memory, without the copy, as far as alignment
   * allows; what is left over is for {@link #fill}.
   *
   * <p>Bytes land there before they are verified. To a caller that is a read in progress: its
   * position has not moved, and ByteBufferReadable leaves the content undefined after an exception.
   * If they turn out not to be the block's they are wiped at once, so that not even a caller who
   * looks behind the position sees a byte of another file.
   *
   * @param target its position and limit are as before when this returns
   * @return bytes read, 0 where it has to be done by a copy
   */
  int readDirect(
      MappedReplica replica,
      long offset,
      ByteBuffer target,
      int at,
      int wanted,
      long crcEnd,
      LeaseClock clock)
      throws FallbackException {
    int length = directLength(replica, offset, target, at, wanted);
    if (length == 0) {
      return 0;
    }
    int position = target.position();
    int limit = target.limit();
    boolean good = false;
    replica.requireLease(clock, "ran out before the read");
    try {
      int crcsLoaded = loadCrcs(replica, offset, length, crcEnd);
      gather.readInPlace(
          replica.device(), replica.map().blockExtents(), offset, length, target, at);
      confirm(replica, crcsLoaded, clock);
      verify(replica, offset, length, target, at);
      good = true;
      return length;
    } finally {
      target.limit(limit).position(position);
      if (!good) {
        wipe(target, at, length);
      }
    }
  }

  private int directLength(
      MappedReplica replica, long offset, ByteBuffer target, int at, int wanted) {
    int alignment = replica.device().alignment();
    int chunk = replica.chunk();
    int unit = Math.max(alignment, chunk);
    if (!target.isDirect()
        || offset % chunk != 0
        || unit % Math.min(alignment, chunk) != 0
        || target.alignmentOffset(at, alignment) != 0) {
      return 0;
    }
    int length = (int) Math.min(wanted, capacity(replica));
    length -= length % unit;
    return length > 0
            && gather.aligned(replica.device(), replica.map().blockExtents(), offset, length)
        ? length
        : 0;
  }

  /** Most bytes of whole chunks that fit in here with their CRCs, whatever the chunk size. */
  private long capacity(MappedReplica replica) {
    if (!replica.verify()) {
      return size;
    }
    int chunk = replica.largestChunk();
    return (long) Math.min(size / chunk, maxCrcs()) * chunk;
  }

  private int maxCrcs() {
    return WindowPool.crcBytes(size) / ChecksumSpec.CRC_BYTES;
  }

  /** Makes the CRCs of {@code [first, first + length)} be here; returns how many then are. */
  private int loadCrcs(MappedReplica replica, long first, int length, long crcEnd)
      throws FallbackException {
    if (!replica.verify()) {
      return 0;
    }
    FileMap map = replica.map();
    long chunk = replica.chunk();
    long firstChunk = first / chunk;
    long endChunk = (first + length + chunk - 1) / chunk;
    if (crcLease == map.lease() && firstChunk >= crcFirst && endChunk <= crcFirst + crcCount) {
      return crcCount;
    }
    crcLease = null;
    long aheadChunk = (Math.min(crcEnd, map.blockLength()) + chunk - 1) / chunk;
    int count = (int) Math.min(Math.max(endChunk, aheadChunk) - firstChunk, maxCrcs());
    long at = map.checksum().headerLength() + firstChunk * ChecksumSpec.CRC_BYTES;
    crcAt =
        gather.read(replica.device(), map.metaExtents(), at, count * ChecksumSpec.CRC_BYTES, crcs);
    crcFirst = firstChunk;
    return count;
  }

  /** Only behind this point is anything that was read known to be the block's. */
  private void confirm(MappedReplica replica, int crcsLoaded, LeaseClock clock)
      throws FallbackException {
    RdioClientFaultInjector.get().beforeLeaseRecheck(replica.map());
    replica.requireLease(clock, "ran out during the read");
    crcLease = replica.map().lease();
    crcCount = crcsLoaded;
  }

  private void verify(MappedReplica replica, long first, int length, ByteBuffer bytes, int at)
      throws FallbackException {
    if (!replica.verify()) {
      return;
    }
    FileMap map = replica.map();
    long skipped = first / replica.chunk() - crcFirst;
    int crcIndex = crcAt + (int) skipped * ChecksumSpec.CRC_BYTES;
    int bad = verifier.firstBad(map.checksum(), bytes, at, length, crcs.clear(), crcIndex);
    if (bad != ChunkVerifier.ALL_GOOD) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_MISMATCH,
          map.block()
              + " of "
              + map.dataNode()
              + ", chunk at "
              + (first + (long) bad * replica.chunk())
              + ", read from "
              + replica.device().name());
    }
  }

  private static void wipe(ByteBuffer target, int at, int length) {
    for (int i = at; i < at + length; i++) {
      target.put(i, (byte) 0);
    }
  }
}
