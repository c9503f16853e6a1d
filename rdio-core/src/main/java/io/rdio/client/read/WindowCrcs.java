// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The CRCs of a {@link ReadWindow}: those that the map has already, else from the meta file, read
 * along with the data. Positions are bytes of the block's CRCs, from its first one on. For one
 * thread at a time.
 */
final class WindowCrcs {
  /** More than the window's own CRCs: whole pages are read where they are to be kept. */
  static final int SLACK = 2 * ChunkCrcs.PAGE_BYTES;

  private static final int USUAL_PAGES = 4;

  private final ByteBuffer crcs;
  private final ExtentGather gather;
  private final ChunkVerifier verifier = new ChunkVerifier();

  // The pages that the map has, from the one of the range's first CRC on, until they are copied;
  // all of them or none.
  private @Nullable ByteBuffer[] kept = new @Nullable ByteBuffer[USUAL_PAGES];
  private int keptCount;

  // What is wanted of the meta file: [start, end); once complete, in the buffer from at.
  private long start;
  private long end;
  private int at;
  private boolean keep;

  /**
   * @param crcs memory for the window's CRCs and {@link #SLACK}, and what {@link ExtentGather}
   *     wants
   */
  WindowCrcs(ByteBuffer crcs, ClientCounters counters) {
    this.crcs = crcs;
    this.gather = new ExtentGather(counters);
  }

  /**
   * Begins to bring the CRCs of {@code [first, last)} of the block, which starts with a chunk.
   *
   * @param by says whether they are worth keeping with the map
   */
  void begin(ReadSession by, long first, long last) throws FallbackException {
    MappedReplica from = by.replica();
    start = from.crcPosition(first);
    end = from.crcEnd(last);
    keep = by.keepsCrcs();
    if (!from.verify()) {
      end = start;
    }
    if (start == end || takeKept(from)) {
      return;
    }
    if (keep) {
      start -= start % ChunkCrcs.PAGE_BYTES;
      end = Math.min(from.pageEnd(end - 1), from.allCrcBytes());
    }
    readMeta(by);
  }

  /** Holds on to what the map has, which may go from there at any time. */
  private boolean takeKept(MappedReplica from) {
    forgetKept();
    for (long position = start; position < end; position = from.pageEnd(position)) {
      ByteBuffer page = from.map().crcs().page(pageOf(position));
      if (page == null) {
        forgetKept();
        return false;
      }
      if (keptCount == kept.length) {
        kept = Arrays.copyOf(kept, 2 * keptCount);
      }
      kept[keptCount++] = page;
    }
    return true;
  }

  private void forgetKept() {
    while (keptCount > 0) {
      kept[--keptCount] = null;
    }
  }

  private static int pageOf(long position) {
    return (int) (position / ChunkCrcs.PAGE_BYTES);
  }

  private void readMeta(ReadSession by) throws FallbackException {
    FileMap map = by.replica().map();
    long offset = map.checksum().headerLength() + start;
    gather.begin(by, map.metaExtents(), offset, (int) (end - start), crcs, 0);
  }

  /** Waits for them. */
  void complete() throws FallbackException {
    if (keptCount > 0) {
      copyKept();
    } else {
      at = start < end ? gather.complete() : 0;
    }
  }

  /** To where those that are read would be, so that nobody need know which it was. */
  private void copyKept() {
    crcs.clear();
    at = 0;
    for (long position = start; position < end; ) {
      ByteBuffer page = Objects.requireNonNull(kept[pageOf(position) - pageOf(start)]);
      int inPage = (int) (position % ChunkCrcs.PAGE_BYTES);
      int count = (int) Math.min(end - position, ChunkCrcs.PAGE_BYTES - inPage);
      crcs.put((int) (position - start), page, inPage, count);
      position += count;
    }
    forgetKept();
    keep = false;
  }

  /** Gives up what is under way; whether nothing is written here any more. May be repeated. */
  boolean abandon() {
    forgetKept();
    return gather.abandon();
  }

  /**
   * Keeps the pages that were read with the map, if they are worth it. One that is wrong can only
   * refuse bytes, and goes with its map. Only once the guard has vouched for what was read.
   */
  void keepPages(MappedReplica from) {
    int pages = (int) ((from.allCrcBytes() + ChunkCrcs.PAGE_BYTES - 1) / ChunkCrcs.PAGE_BYTES);
    crcs.clear();
    for (long position = start; keep && position < end; ) {
      long pageEnd = Math.min(from.pageEnd(position), end);
      int pageAt = at + (int) (position - start);
      from.maps()
          .keepCrcs(from.map(), pageOf(position), pages, crcs, pageAt, (int) (pageEnd - position));
      position = pageEnd;
    }
  }

  /**
   * Chunks of the block together with their CRCs, to be checked; only where they are verified.
   *
   * @param first the start of a chunk
   * @param data holds {@code [first, first + length)} from {@code dataAt} on
   */
  ChunkVerifier chunks(MappedReplica from, long first, int length, ByteBuffer data, int dataAt) {
    return verifier
        .chunks(from.map().checksum(), data, dataAt, length)
        .against(crcs, at + (int) (from.crcPosition(first) - start));
  }

  /**
   * Copies those of {@code [first, first + length)} to somebody who verifies the bytes.
   *
   * @param to takes them from {@code toAt} on
   */
  void deliver(MappedReplica from, long first, int length, ByteBuffer to, int toAt) {
    long begin = from.crcPosition(first);
    int count = (int) (from.crcEnd(first + length) - begin);
    to.put(toAt, crcs.clear(), at + (int) (begin - start), count);
  }

  /** That a chunk does not match its CRC. */
  static FallbackException mismatch(MappedReplica from, long chunkAt) {
    FileMap map = from.map();
    return new FallbackException(
        FallbackReason.CHECKSUM_MISMATCH,
        map.block()
            + " of "
            + map.dataNode()
            + ", chunk at "
            + chunkAt
            + ", read from "
            + from.device().name());
  }
}
