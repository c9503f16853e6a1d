// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.ChunkCrcs;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
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

  // The pages that the map has, from the one of the range's first CRC on; all of them or none.
  private @Nullable ByteBuffer[] kept = new @Nullable ByteBuffer[USUAL_PAGES];
  private int keptCount;

  // What is read of the meta file: [start, end), in the buffer from at; nothing if all is kept.
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
    if (!from.verify() || takeKept(from)) {
      end = start;
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
    at = start < end ? gather.complete() : 0;
  }

  /** Gives up what is under way; whether nothing is written here any more. May be repeated. */
  boolean abandon() {
    forgetKept();
    return gather.abandon();
  }

  /**
   * Checks {@code [first, first + length)} of the block. If it is right, the pages that were read
   * are kept: a CRC in them that is not, of bytes nobody read yet, can only refuse those.
   *
   * @param data holds it at {@code dataAt}; its position and limit are changed
   * @throws FallbackException CHECKSUM_MISMATCH
   */
  void verify(MappedReplica from, long first, int length, ByteBuffer data, int dataAt)
      throws FallbackException {
    if (!from.verify()) {
      return;
    }
    crcs.clear();
    boolean read = start < end;
    for (int done = 0; done < length; ) {
      long position = from.crcPosition(first + done);
      ByteBuffer page = read ? crcs : kept(pageOf(position) - pageOf(start));
      int crcAt = read ? at + (int) (position - start) : (int) (position % ChunkCrcs.PAGE_BYTES);
      long inPage = (from.pageEnd(position) - position) / ChecksumSpec.CRC_BYTES * from.chunk();
      int count = read ? length : (int) Math.min(length - done, inPage);
      int bad = verifier.firstBad(from.map().checksum(), data, dataAt + done, count, page, crcAt);
      if (bad != ChunkVerifier.ALL_GOOD) {
        throw mismatch(from, first + done + (long) bad * from.chunk());
      }
      done += count;
    }
    keepPages(from);
    forgetKept();
  }

  /**
   * Copies those of {@code [first, first + length)} to somebody who verifies the bytes. Pages that
   * are worth it are kept: one that is wrong can only refuse bytes, and goes with its map.
   *
   * @param to takes them from {@code toAt} on
   */
  void deliver(MappedReplica from, long first, int length, ByteBuffer to, int toAt) {
    crcs.clear();
    boolean read = start < end;
    long last = from.crcEnd(first + length);
    long begin = from.crcPosition(first);
    for (long position = begin; position < last; ) {
      ByteBuffer page = read ? crcs : kept(pageOf(position) - pageOf(start));
      int crcAt = read ? at + (int) (position - start) : (int) (position % ChunkCrcs.PAGE_BYTES);
      long pieceEnd = read ? last : Math.min(last, from.pageEnd(position));
      to.put(toAt + (int) (position - begin), page, crcAt, (int) (pieceEnd - position));
      position = pieceEnd;
    }
    keepPages(from);
    forgetKept();
  }

  private ByteBuffer kept(int i) {
    return Objects.requireNonNull(kept[i]);
  }

  private void keepPages(MappedReplica from) {
    int pages = (int) ((from.allCrcBytes() + ChunkCrcs.PAGE_BYTES - 1) / ChunkCrcs.PAGE_BYTES);
    for (long position = start; keep && position < end; ) {
      long pageEnd = Math.min(from.pageEnd(position), end);
      int pageAt = at + (int) (position - start);
      from.maps()
          .keepCrcs(from.map(), pageOf(position), pages, crcs, pageAt, (int) (pageEnd - position));
      position = pageEnd;
    }
  }

  private static FallbackException mismatch(MappedReplica from, long chunkAt) {
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
