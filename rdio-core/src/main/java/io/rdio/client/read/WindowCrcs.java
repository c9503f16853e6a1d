// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
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
 *
 * <p>CRCs of windows that follow each other lie side by side in the meta file. So the first window
 * of a group reads them for all of it, with one request, and each window hands what is left to the
 * one behind it: at once if it is complete, else when it completes. A window whose predecessor was
 * given up before that reads its own. What is handed on was read under the same lease as the
 * window's data, and before its guard looks behind the read.
 */
final class WindowCrcs {
  /** More than the window's own CRCs: whole pages are read where they are to be kept. */
  static final int SLACK = 2 * ChunkCrcs.PAGE_BYTES;

  /** What of the memory is no window's own CRCs. */
  private static final int RESERVED =
      SLACK + ExtentGather.SLACK_ALIGNMENTS * ReadGeometry.ALIGNMENT;

  private static final int USUAL_PAGES = 4;

  private final ByteBuffer crcs;
  private final ExtentGather gather;
  private final ChunkVerifier verifier;

  // The pages that the map has, from the one of the range's first CRC on, until they are copied;
  // all of them or none.
  private @Nullable ByteBuffer[] kept = new @Nullable ByteBuffer[USUAL_PAGES];
  private int keptCount;

  // What is wanted of the meta file: [start, end); once complete, in the buffer from at.
  private long start;
  private long end;
  private int at;
  private boolean keep;

  // The group: where this window's own CRCs end, of which (start, end) may have more; who reads
  // them for this window and hands them on, and to whom this one hands on the rest.
  private long ownEnd;
  private boolean isHere;
  private @Nullable WindowCrcs before;
  private @Nullable WindowCrcs behind;

  /**
   * @param crcs memory for the window's CRCs and {@link #SLACK}, and what {@link ExtentGather}
   *     wants
   * @param data the window's, whose chunks are mostly checked
   */
  WindowCrcs(ByteBuffer crcs, ByteBuffer data, ClientCounters counters) {
    this(crcs, new ChunkVerifier(data, crcs), counters);
  }

  /** The same of a window whose chunks somebody else checks. */
  WindowCrcs(ByteBuffer crcs, ClientCounters counters) {
    this(crcs, new ChunkVerifier(), counters);
  }

  private WindowCrcs(ByteBuffer crcs, ChunkVerifier verifier, ClientCounters counters) {
    this.crcs = crcs;
    this.verifier = verifier;
    this.gather = new ExtentGather(counters);
  }

  /**
   * Begins to bring the CRCs of {@code [first, last)} of the block, which starts with a chunk.
   *
   * @param by says whether they are worth keeping with the map
   * @param group where the last chunk ends whose CRC is read along for windows behind this one; at
   *     least last
   * @param previous of the window in front of this one, if it is of the same replica: may have them
   */
  void begin(ReadSession by, long first, long last, long group, @Nullable WindowCrcs previous)
      throws FallbackException {
    MappedReplica from = by.replica();
    leaveGroup();
    start = from.crcPosition(first);
    end = from.crcEnd(last);
    ownEnd = end;
    keep = by.keepsCrcs();
    isHere = false;
    if (!from.verify()) {
      end = start;
    }
    if (start == end || takeKept(from) || (previous != null && previous.handsOnTo(this))) {
      return;
    }
    long groupEnd = from.crcEnd(group);
    if (groupEnd - start <= capacity()) {
      end = groupEnd;
    }
    readMeta(by);
  }

  /**
   * Whether another window's CRCs come with this one's: then it has them or will be handed them.
   */
  private boolean handsOnTo(WindowCrcs next) {
    boolean hasThem = isHere || before != null || gather.isUnderWay();
    if (!hasThem || behind != null || next.start < ownEnd || next.end > end) {
      return false;
    }
    next.end = Math.min(end, next.start + next.capacity());
    next.keep = false; // this one keeps the pages of all
    if (isHere) {
      next.take(this);
    } else {
      next.before = this;
      behind = next;
    }
    return true;
  }

  /** Most CRCs that the memory takes wherever they lie on the device, in bytes. */
  private int capacity() {
    return crcs.capacity() - RESERVED;
  }

  private void take(WindowCrcs from) {
    int place = from.at + (int) (start - from.start);
    crcs.clear().put(0, from.crcs.clear(), place, (int) (end - start));
    at = 0;
    before = null;
    isHere = true;
  }

  /** Nobody waits for these any more, nor do these wait for others. */
  private void leaveGroup() {
    if (before != null) {
      before.behind = null;
      before = null;
    }
    if (behind != null) {
      behind.before = null;
      behind = null;
    }
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
    MappedReplica from = by.replica();
    if (keep) {
      start -= start % ChunkCrcs.PAGE_BYTES;
      end = Math.min(from.pageEnd(end - 1), from.allCrcBytes());
    }
    FileMap map = from.map();
    long offset = map.checksum().headerLength() + start;
    gather.begin(by, map.metaExtents(), offset, (int) (end - start), crcs, 0);
  }

  /**
   * Waits for them.
   *
   * @param by reads those that nobody reads any more who was to hand them on
   * @param from the replica of {@link #begin}
   */
  void complete(ReadSession by, MappedReplica from) throws FallbackException {
    if (keptCount > 0) {
      copyKept();
    } else if (start < end && !isHere) {
      if (before != null || !gather.isUnderWay()) {
        leaveGroup();
        end = ownEnd;
        by.use(from);
        readMeta(by);
      }
      at = gather.complete();
      isHere = true;
    }
    if (behind != null) {
      behind.take(this);
      behind = null;
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
    leaveGroup();
    isHere = false;
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
