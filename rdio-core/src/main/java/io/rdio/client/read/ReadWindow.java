// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.device.ReadQueue;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A range of a block on its way into memory, and then there. Lent by the {@link WindowPool}. Its
 * bytes are verified as they are copied, in one pass, for going over what comes from a device twice
 * costs twice.
 *
 * <p>What the window holds may be handed out later, also after the lease has run out: a generation
 * stamp names one immutable version of the block, and these bytes were read of that version: the
 * lease was valid until behind the read. A stock reader's packet buffer is no different.
 *
 * <p>For one thread at a time.
 */
final class ReadWindow {
  /** What is verified at least, if it is there: small reads would ask for each chunk by itself. */
  private static final int LEAST_CHECKED = 8 << 10;

  private final WindowPool pool;
  private final int size;
  private final WindowGroup.Place place;
  private final ByteBuffer data;
  private final ExtentGather dataGather;
  private final WindowCrcs crcs;
  private final AtomicBoolean lent = new AtomicBoolean();

  // The range: [start, end) of the block, under way from begin() on, the block's from complete()
  // on; of that, [checkedFrom, checkedTo) is known to match its CRCs.
  private @Nullable ReadSession session;
  private @Nullable MappedReplica replica;
  private ByteBuffer target;
  private long start;
  private long end;
  private long checkedFrom;
  private long checkedTo;
  private int targetAt;
  private boolean inPlace;
  private boolean complete;

  // Of the next range: the window in front, and where the CRCs end that are read along with its
  // own.
  private @Nullable ReadWindow previous;
  private long group;

  /**
   * @param size data bytes that it can hold
   * @param place its memory, which is its alone while it is lent
   */
  ReadWindow(WindowPool pool, int size, WindowGroup.Place place, ClientCounters counters) {
    this.pool = pool;
    this.size = size;
    this.place = place;
    this.data = place.data();
    this.target = data;
    this.dataGather = new ExtentGather(counters);
    this.crcs = new WindowCrcs(place.crcs(), data, counters);
  }

  /** Data bytes that it can hold. */
  int size() {
    return size;
  }

  /** What it takes of the pool's bound, in bytes. */
  long footprint() {
    return place.footprint();
  }

  /** Room for {@link #size} bytes, for who borrowed it to hold what no device reads. */
  ByteBuffer memory() {
    return data;
  }

  /** Its memory. */
  WindowGroup.Place place() {
    return place;
  }

  /**
   * Lends it; only for its pool.
   *
   * @return false if its memory has gone to other windows: then it is of no use any more
   */
  boolean lend() {
    if (!place.group().lend(place.cut())) {
      return false;
    }
    lent.set(true);
    return true;
  }

  /** Gives it back to the pool, empty; nothing may be under way, which {@link #abandon} tells. */
  void release() {
    if (!lent.compareAndSet(true, false)) {
      throw new IllegalStateException("a read window was given back twice");
    }
    clear();
    pool.takeBack(this);
  }

  private void clear() {
    session = null;
    replica = null;
    target = data;
    previous = null;
    group = 0;
    inPlace = false;
    start = 0;
    end = 0;
    checkedFrom = 0;
    checkedTo = 0;
    complete = false;
  }

  /** Whether the byte at this offset of the block is here or under way. */
  boolean covers(long offset) {
    return offset >= start && offset < end;
  }

  /** Where in the block the range ends. */
  long end() {
    return end;
  }

  boolean isComplete() {
    return complete;
  }

  /** By which its range is read; null where it has none. */
  @Nullable MappedReplica replica() {
    return replica;
  }

  /**
   * Whether a complete window can serve an offset that it {@link #covers} to who reads by a
   * replica: what was begun by another one only if no chunk can turn out wrong any more, for that
   * would be held against the wrong one.
   */
  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  boolean serves(MappedReplica by, long offset) {
    return replica == by || (checkedFrom <= offset && checkedTo == end);
  }

  /**
   * Moves a piece on, whose next byte a complete window {@link #covers}, by what is here of it,
   * once that is verified.
   *
   * @throws FallbackException CHECKSUM_MISMATCH; what is right before it may have been copied
   */
  void copy(Piece to) throws FallbackException {
    int ready = checked(to.offset(), to.rest());
    if (ready > 0) {
      to.put(data.clear(), placeOf(to.offset()), ready);
    }
    int count = (int) Math.min(to.rest(), end - to.offset());
    if (count > 0) {
      long first = floor(to.offset());
      long last = lastToCheck(first, to.offset() + count);
      int skip = (int) (to.offset() - first);
      settle(first, last, to.put(chunks(first, last), skip, count));
    }
  }

  /**
   * Copies bytes from an offset on into a buffer, at an absolute index, of what is {@linkplain
   * #check checked}.
   *
   * @return bytes copied, at least 1; fewer than asked for where the window ends
   */
  int copyChecked(long offset, ByteBuffer to, int at, int length) {
    int count = (int) Math.min(length, end - offset);
    if (checked(offset, count) < count) {
      throw new IllegalStateException("bytes from " + offset + " on are not verified");
    }
    to.put(at, data.clear(), placeOf(offset), count);
    return count;
  }

  /**
   * Verifies all of a complete window from an offset on.
   *
   * @throws FallbackException CHECKSUM_MISMATCH
   */
  void check(long offset) throws FallbackException {
    if (checkedFrom > offset || checkedTo < end) {
      long first = floor(offset);
      settle(first, end, chunks(first, end).check());
    }
  }

  private int placeOf(long offset) {
    return targetAt + (int) (offset - start);
  }

  /** How many of so many bytes need only be copied. */
  private int checked(long offset, int count) {
    return offset < checkedFrom || offset >= checkedTo
        ? 0
        : (int) Math.min(count, checkedTo - offset);
  }

  private long floor(long offset) {
    return Objects.requireNonNull(replica).chunkFloor(offset);
  }

  /** Where to end a check from a chunk's start on, of which bytes up to an offset are wanted. */
  private long lastToCheck(long first, long wanted) {
    long least = Math.max(wanted, first + LEAST_CHECKED);
    return Math.min(Objects.requireNonNull(replica).chunkCeil(least), end);
  }

  private ChunkVerifier chunks(long first, long last) {
    MappedReplica from = Objects.requireNonNull(replica);
    return crcs.chunks(from, first, (int) (last - first), target, placeOf(first));
  }

  /** Notes the outcome of a check. */
  private void settle(long first, long last, int firstBad) throws FallbackException {
    if (firstBad != ChunkVerifier.ALL_GOOD) {
      MappedReplica from = Objects.requireNonNull(replica);
      throw WindowCrcs.mismatch(from, first + (long) firstBad * from.chunk());
    }
    if (first != checkedTo) {
      checkedFrom = first;
    }
    checkedTo = last;
  }

  /** Most bytes of whole chunks that fit in here with their CRCs, whatever the chunk size. */
  int capacity(MappedReplica from) {
    if (!from.verify()) {
      return size;
    }
    int chunk = from.largestChunk();
    return Math.min(size / chunk, maxCrcs()) * chunk;
  }

  private int maxCrcs() {
    return WindowPool.crcBytes(size) / ChecksumSpec.CRC_BYTES;
  }

  /**
   * Says, right before a range is begun, which window is in front of this one and how far the CRCs
   * are worth reading along with its own; see {@link WindowCrcs}.
   *
   * @param inFront null where there is none
   * @param end of a chunk of the block; what is less than the range's end counts as that
   */
  void joins(@Nullable ReadWindow inFront, long end) {
    previous = inFront;
    group = end;
  }

  /**
   * Begins to read a range; {@link #complete} or {@link #abandon} must follow, whether this throws
   * or not.
   *
   * @param by the replica that is read, on the queue that it goes by
   * @param first start of a chunk
   * @param length at most {@link #capacity}; up to the end of a chunk
   */
  void begin(ReadSession by, long first, int length) throws FallbackException {
    inPlace = false;
    if (size >= ReadGeometry.WINDOW) {
      by.queue().keep(place.group().memory());
    }
    read(by, first, length, data, 0);
  }

  /**
   * The same into the caller's memory, without the copy, for a range of whole chunks that is
   * aligned there and, in all of its runs, on the device.
   *
   * <p>Bytes land there before they are verified. To a caller that is a read in progress: its
   * position has not moved, and ByteBufferReadable leaves the content undefined after an exception.
   * If they turn out not to be the block's they are wiped at once, so that not even a caller who
   * looks behind the position sees a byte of another file.
   *
   * <p>Never by a queue that {@link ReadQueue#givesUp}: this memory is the caller's again as soon
   * as the read has ended for the caller, and for the device it must have ended by then.
   *
   * @param to its position and limit are changed
   */
  void beginInPlace(ReadSession by, long first, int length, ByteBuffer to, int at)
      throws FallbackException {
    inPlace = true;
    read(by, first, length, to, at);
  }

  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private void read(ReadSession by, long first, int length, ByteBuffer to, int at)
      throws FallbackException {
    MappedReplica from = by.replica();
    session = by;
    replica = from;
    target = to;
    targetAt = at;
    start = first;
    end = first + length;
    complete = false;
    by.guardBefore(from);
    ReadWindow inFront = previous;
    WindowCrcs before = inFront != null && inFront.replica == from ? inFront.crcs : null;
    crcs.begin(by, first, end, Math.max(group, end), before);
    previous = null;
    group = 0;
    dataGather.begin(by, from.map().blockExtents(), first, length, to, at);
  }

  /**
   * Waits for the range and proves that it is the block's. What is in the caller's memory is
   * verified, too.
   *
   * @throws FallbackException LEASE_EXPIRED, CHECKSUM_MISMATCH or what the device refused; the
   *     window is then empty, unless it was DEVICE_TIMEOUT or INTERRUPTED
   */
  void complete() throws FallbackException {
    MappedReplica from = Objects.requireNonNull(replica);
    boolean good = false;
    ReadSession by = Objects.requireNonNull(session);
    try {
      crcs.complete(by, from);
      targetAt = dataGather.complete();
      // Only behind this point is anything that was read known to be the block's.
      RdioClientFaultInjector.get().beforeLeaseRecheck(from.map());
      by.guardAfter(from);
      crcs.keepPages(from);
      checkedFrom = start;
      checkedTo = from.verify() ? start : end;
      if (inPlace) {
        check(start);
      }
      complete = true;
      good = true;
    } finally {
      if (!good) {
        abandon();
      }
    }
  }

  /**
   * Empties it, once nothing is written here any more. Harmless when repeated.
   *
   * @return false if the kernel may still write here: then this must be neither used nor released
   */
  boolean abandon() {
    ReadSession by = session;
    if (by != null && !complete) {
      by.hasWaited();
    }
    if (!crcs.abandon() || !dataGather.abandon()) {
      return false;
    }
    if (inPlace && !complete) {
      wipe();
    }
    clear();
    return true;
  }

  private void wipe() {
    target.clear();
    for (int i = targetAt, last = targetAt + (int) (end - start); i < last; i++) {
      target.put(i, (byte) 0);
    }
  }
}
