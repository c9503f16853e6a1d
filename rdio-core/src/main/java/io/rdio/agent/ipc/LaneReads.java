// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.VerifyCopy;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one reader has of a block in the shared segment: windows asked for on one lane, the oldest
 * first. They lead on from each other ({@link #fill}, {@link #copy}), or are of any ranges ({@link
 * #append}, {@link #copyFirst}); no reader does both. For one thread at a time; {@link #end} must
 * follow.
 */
final class LaneReads {
  /** Places that one reader has at most, so that few readers do not have them all. */
  private static final int PLACES_MAX = 16;

  /** Most bytes that a reader has here or under way. */
  static final int BYTES_MAX = PLACES_MAX * SharedSegment.PLACE_DATA;

  private final Lane lane;
  private final SharedSegment segment;
  private final Window[] windows = new Window[Protocol.READS_MAX];
  private int first;
  private int count;
  private int places;
  private @Nullable OpenedBlock block;

  // Where verified bytes go: an array, or memory.
  private byte @Nullable [] array;
  private long address;

  LaneReads(Lane lane) {
    this.lane = lane;
    this.segment = lane.session().segment();
  }

  Lane lane() {
    return lane;
  }

  private OpenedBlock block() {
    OpenedBlock known = block;
    if (known == null) {
      throw new IllegalStateException("nothing was said of what is read");
    }
    return known;
  }

  /** Whether these are pieces of this very opened block. */
  boolean isOf(OpenedBlock other) {
    return block == other;
  }

  /**
   * Says what is read and whereto, until the next call. What is here of another block, or of the
   * same one opened before, goes.
   *
   * @param toArray null to read to {@code toBuffer}, which is direct
   */
  void use(OpenedBlock what, byte @Nullable [] toArray, @Nullable ByteBuffer toBuffer)
      throws FallbackException {
    if (block != what) {
      clear();
      block = what;
    }
    array = toArray;
    address = toBuffer == null ? 0 : DirectReader.addressOf(toBuffer);
  }

  /** Bytes of the block that are here or under way. */
  long bytes() {
    return count == 0 ? 0 : window(count - 1).end() - window(0).start();
  }

  /** Whether the byte at an offset is here or under way. */
  boolean covers(long offset) {
    return count > 0 && offset >= window(0).start() && offset < window(count - 1).end();
  }

  /** Drops what lies before an offset, or all if that byte is not among it. */
  void moveTo(long offset) throws FallbackException {
    while (count > 0 && !window(0).covers(offset)) {
      removeFirst();
    }
  }

  /**
   * Asks for windows from an offset on, behind those that are here, without waiting: as many as
   * there is room for, at least one. What is only read ahead is asked for in whole windows, or many
   * small reads would ask for as many small pieces.
   *
   * @param needed where the bytes end that are wanted now
   * @param end where to stop
   * @param size most bytes of a window; it has fewer where there are no places side by side
   * @param flags of the READs
   * @throws FallbackException BUFFERS_EXHAUSTED if there is no place for a single one
   */
  void fill(long offset, long needed, long end, int size, int flags) throws FallbackException {
    long next = count == 0 ? block().chunkFloor(offset) : window(count - 1).end();
    long last = block().chunkCeil(end);
    boolean isTail = last >= block().length();
    while (next < last && hasRoom() && (next < needed || isTail || last - next >= size)) {
      int most = block().wholeChunks((PLACES_MAX - places) * SharedSegment.PLACE_DATA);
      int wanted = (int) Math.min(Math.min(block().wholeChunks(size), most), last - next);
      Window window = count == 0 ? lane.firstPlaces(wanted) : segment.take(wanted);
      if (window == null) {
        break;
      }
      int length = Math.min(wanted, block().wholeChunks(window.capacity()));
      window.set(next, length);
      boolean alone = count == 0 && next + length == last;
      add(window, alone ? flags | Protocol.ALONE : flags);
      next += length;
    }
    if (count == 0) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED,
          "all " + segment.places() + " places shared with " + lane.session() + " are in use");
    }
  }

  /**
   * Asks for one window of a range that need not lead on from those that are here, without waiting.
   *
   * @param size most bytes of the window, about; it has fewer where there are no places side by
   *     side
   * @return how many bytes of the range it has, from the range's start; 0 where there is no room
   */
  int append(long offset, int bytes, int size) throws FallbackException {
    if (!hasRoom()) {
      return 0;
    }
    long start = block().chunkFloor(offset);
    long left = block().chunkCeil(offset + bytes) - start;
    int most = (PLACES_MAX - places) * SharedSegment.PLACE_DATA;
    int wanted = (int) Math.min(block().wholeChunks(Math.min(size, most)), left);
    Window window = segment.take(wanted);
    if (window == null) {
      return 0;
    }
    int length = Math.min(wanted, block().wholeChunks(window.capacity()));
    window.set(start, length);
    add(window, Protocol.KEEP_CRCS | Protocol.BEGINS);
    return (int) Math.min(bytes, start + length - offset);
  }

  private void add(Window window, int flags) throws FallbackException {
    windows[(first + count) % windows.length] = window;
    count++;
    places += window.places();
    begin(window, flags);
  }

  private boolean hasRoom() {
    return count < windows.length && places < PLACES_MAX && lane.room() > 0;
  }

  private void begin(Window window, int flags) throws FallbackException {
    lane.question(Protocol.READ)
        .put(block().handle())
        .put(block().isVerified() ? flags : flags | Protocol.NO_CRCS)
        .put(window.start())
        .put(window.length())
        .put(window.placeAt())
        .put(window.room())
        .put(window.crcPlaceAt())
        .put(SharedSegment.CRC_ROOM);
    lane.begin(window);
  }

  /**
   * Waits for the first window, which must cover an offset, verifies what is wanted of it and
   * copies that.
   *
   * @return bytes copied, at least 1
   * @throws FallbackException why the agent refused; CHECKSUM_MISMATCH
   */
  int copy(long offset, int at, int most) throws FallbackException {
    Window window = window(0);
    lane.finish(window);
    FallbackException refusal = window.refusal();
    if (refusal != null) {
      throw refusal;
    }
    int wanted = (int) Math.min(most, window.end() - offset);
    long from = block().chunkFloor(offset);
    int length = (int) (Math.min(block().chunkCeil(offset + wanted), window.end()) - from);
    int bad = take(window, from, length, (int) (offset - from), wanted, at);
    if (bad != VerifyCopy.ALL_GOOD) {
      throw mismatch(from + (long) bad * block().chunk());
    }
    if (offset + wanted == window.end()) {
      removeFirst();
    }
    return wanted;
  }

  /**
   * The same for all bytes that were {@linkplain #append appended} as the first window, which goes.
   */
  void copyFirst(long offset, int at, int bytes) throws FallbackException {
    Window window = window(0);
    copy(offset, at, bytes);
    if (count > 0 && window(0) == window) {
      removeFirst();
    }
  }

  /** See {@link VerifyCopy}. */
  private int take(Window window, long from, int length, int skip, int wanted, int at) {
    int into = (int) (from - window.start());
    int type = block().checksumType();
    int chunk = block().chunk();
    long data = segment.address(window.dataAt() + into);
    long crcs = segment.address(window.crcAt() + into / chunk * Integer.BYTES);
    return array != null
        ? VerifyCopy.toArray(type, data, length, chunk, crcs, skip, wanted, array, at)
        : VerifyCopy.toMemory(type, data, length, chunk, crcs, skip, wanted, address + at);
  }

  /** Has the agent look at a chunk that is wrong, so that the next read is of another replica. */
  private FallbackException mismatch(long chunkAt) throws FallbackException {
    clear();
    lane.question(Protocol.MISMATCH).put(block().handle()).put(chunkAt);
    lane.ask(Protocol.OK);
    return new FallbackException(
        FallbackReason.CHECKSUM_MISMATCH, block() + ", chunk at " + chunkAt + ", by the agent");
  }

  /** Drops all of it, and waits a moment for what is under way. */
  void clear() throws FallbackException {
    while (count > 0) {
      removeFirst();
    }
  }

  private void removeFirst() throws FallbackException {
    Window window = window(0);
    lane.discard(window); // the agent writes to it until then
    windows[first] = null;
    first = (first + 1) % windows.length;
    count--;
    places -= window.places();
    segment.give(window);
  }

  /**
   * Gives places and lane back. If that takes more than a moment, or the agent is gone, the session
   * ends instead: what is under way may be written to at any time.
   */
  void end() {
    try {
      clear();
    } catch (FallbackException e) {
      lane.session().retire();
    }
    array = null;
    lane.session().giveBack(lane);
  }

  private Window window(int i) {
    return windows[(first + i) % windows.length];
  }
}
