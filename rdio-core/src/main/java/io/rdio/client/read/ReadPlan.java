// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;

/**
 * What a read does, and how much of it at a time: all that is decided on the way of a {@link
 * Piece}, and nothing that is done. It knows neither devices nor leases, so it can be tried out by
 * itself.
 *
 * <ol>
 *   <li>A reader with nothing read ahead asks the block data cache first ({@link #asksCache}).
 *   <li>{@link #begin} tells a sequential read from a positional one. A sequential one asks for
 *       memory to read ahead with ({@link #wanted}) and is told what it has ({@link #grant}): its
 *       budget, 0 where memory is scarce. A positional one may fill the block data cache ({@link
 *       #fillsCache}) and keeps CRCs ({@link #keepsCrcs}).
 *   <li>Bytes that are not here may go straight to the caller's memory ({@link #mayBeInPlace}).
 *   <li>If not, {@link #fetch} sizes the windows: with a budget up to where the reader stops, else
 *       for what was asked for; or there are to be no more ({@link #fetchNoMore}). {@link
 *       #wantsWindow} and {@link #windowBytes} go through them.
 *   <li>A run with a budget left keeps its windows ({@link #keepsAhead}), and a long one goes on in
 *       the next block ({@link #lead}).
 * </ol>
 *
 * <p>Reused for read after read; for one thread at a time.
 */
final class ReadPlan {
  /** Where a reader that has not read yet is expected to go on. */
  static final long NOWHERE = -1;

  // What can be had, by the session.
  private int largest;
  private int longest;
  private int maxWindows;
  private boolean inPlaceIsSafe;

  // The read.
  private long end;
  private long length;
  private boolean sequential;
  private boolean direct;
  private long budget;
  private int count;

  // What is fetched: up to stop, by at most so many windows of so many bytes at a time; of ranges,
  // how many bytes with a long window.
  private long stop;
  private int size;
  private int most;
  private long longBytes;

  /** Whether the block data cache is asked: not by a run that has read ahead. */
  static boolean asksCache(boolean hasAhead) {
    return !hasAhead;
  }

  /**
   * Says what reads can be made of.
   *
   * @param windows how many are worth having at a time, 1 for reads one after the other
   * @param largestWindow of the pool, in bytes
   * @param givesUp whether reads may be under way when nobody waits for them any more: the caller's
   *     memory must not be given back while the kernel may write to it
   */
  void by(int windows, int largestWindow, boolean givesUp) {
    maxWindows = windows;
    largest = windows > 1 ? ReadGeometry.WINDOW : largestWindow;
    longest = windows > 1 ? Math.min(ReadGeometry.LONG_WINDOW, largestWindow) : largestWindow;
    inPlaceIsSafe = !givesUp;
  }

  /**
   * Begins with a read.
   *
   * @param stopsAt where in the block its reader stops
   * @param expected where the read before ended, or {@link #NOWHERE}
   * @param here whether its first byte was read ahead
   */
  void begin(Piece piece, long stopsAt, long expected, boolean here) {
    end = piece.end();
    count = piece.count();
    length = stopsAt;
    direct = piece.direct() != null;
    sequential = here || isSequential(piece.start(), expected);
    budget = 0;
  }

  /**
   * Whether the caller will probably go on behind this read: it goes on from the last one, or skips
   * less than what a run begins with, or begins and leaves bytes for later (a positional read asks
   * for all that it wants at once).
   */
  private boolean isSequential(long start, long expected) {
    return expected == NOWHERE
        ? end < length
        : start >= expected && start - expected < ReadGeometry.FIRST_AHEAD;
  }

  boolean isSequential() {
    return sequential;
  }

  /**
   * Whether whole chunks may be read for the block data cache: so that a scan does not flush it.
   */
  boolean fillsCache() {
    return !sequential;
  }

  /** Whether the CRCs are worth keeping; see {@link ReadSession#keepCrcs}. */
  boolean keepsCrcs() {
    return !sequential;
  }

  /**
   * Bytes that a sequential read would have under way: more with each, as a run goes on.
   *
   * @param held data bytes that are here or under way
   * @param configured most bytes
   */
  long wanted(long held, int configured) {
    long grown = ReadGeometry.GROWTH * Math.max(count, held);
    long bound = Math.min(configured, (long) maxWindows * Math.max(largest, longest));
    return Math.min(Math.max(ReadGeometry.FIRST_AHEAD, grown), bound);
  }

  /** Tells how much of that there is memory for. */
  void grant(long bytes) {
    budget = bytes < ReadGeometry.SMALLEST_WINDOW ? 0 : bytes;
  }

  /**
   * Whether bytes that are neither here nor under way may go straight to the caller's memory, if
   * alignment allows it: where the call asks for at least half of what would be under way. In place
   * nothing is read ahead, so between calls for less the device would have too little to do.
   */
  boolean mayBeInPlace() {
    return direct && inPlaceIsSafe && 2L * count >= budget;
  }

  /** Bytes of the window that vouches for the next bytes read in place: a run's are as large. */
  int inPlaceWindow(int rest) {
    return Math.min(rest, runWindow());
  }

  /**
   * Most windows of a read in place at a time: of a run no more than its budget is for, though it
   * needs one; without a budget as many as are worth having.
   *
   * @param size data bytes of each
   */
  int inPlaceWindows(int size) {
    return budget == 0 ? maxWindows : (int) Math.max(1, Math.min(maxWindows, budget / size));
  }

  /**
   * Bytes to read in place by one window, 0 where they are too few.
   *
   * @param unit of which a read must have whole ones: a chunk, or the device's alignment
   * @param capacity of the window
   */
  static int inPlaceBytes(int rest, int unit, int capacity) {
    return Math.min(rest, capacity) / unit * unit;
  }

  /**
   * Sizes the windows that bring the next byte: with what comes behind it, or with the rest of the
   * read.
   *
   * @param from start of the chunk of the next byte
   * @param to end of the chunk of the read's last byte
   */
  void fetch(long from, long to) {
    if (budget == 0) {
      fetchOnly(from, to, end);
      size = sequential ? size : half(to - from);
      return;
    }
    stop = length;
    size = (int) Math.min(budget, runWindow());
    most = (int) (budget / size);
  }

  /** Bytes of a window of a run with such a budget. */
  private int runWindow() {
    return budget < ReadGeometry.LONG_RUN ? largest : longest;
  }

  /** Has nothing begun behind what is under way: there the caller's memory is read to. */
  void fetchNoMore() {
    most = 0;
  }

  /**
   * Half of what a positional read wants, in whole units of a device, if that is more than a
   * window: the one half is verified and copied while the other one comes, and more requests than
   * two cost more than they hide (docs/measurements/2026-11-29-data-path.md).
   */
  private int half(long bytes) {
    int unit = ReadGeometry.ALIGNMENT;
    long half = Math.min(longest / 2, (bytes / 2 + unit - 1) / unit * unit);
    return (int) (half > largest ? half : Math.min(bytes, largest));
  }

  /**
   * Sizes the windows that bring a range and nothing behind it.
   *
   * @param from start of a chunk
   * @param to where the range's last chunk would end, were it not cut short
   * @param stopAt where the range ends
   */
  void fetchOnly(long from, long to, long stopAt) {
    stop = stopAt;
    size = (int) Math.min(to - from, largest);
    most = maxWindows;
  }

  /**
   * Sizes the window that brings the next bytes of a range, behind those of other ranges ({@link
   * #hasRoom}). One that would take several comes by long ones, where there is memory for a long
   * run; and by halves where it is short enough for them and nothing is under way that could be
   * verified meanwhile.
   *
   * @param from start of a chunk
   * @param to where the range's last chunk ends
   * @param bytes that long windows may have under way, together with all others
   * @param alone whether nothing is under way
   */
  void fetchRange(long from, long to, long bytes, boolean alone) {
    fetchOnly(from, to, to);
    longBytes = bytes;
    if (to - from >= 2L * largest && bytes >= ReadGeometry.LONG_RUN) {
      boolean halves = alone && to - from <= longest;
      size = halves ? half(to - from) : (int) Math.min(to - from, longest);
    }
  }

  /**
   * Whether to begin that window now.
   *
   * @param windows under way
   * @param bytes that they can hold
   */
  boolean hasRoom(int windows, long bytes) {
    return windows == 0 || (windows < windows() && (size <= largest || bytes + size <= longBytes));
  }

  /**
   * Sizes the windows that bring a block's first bytes for a run that leads on to it.
   *
   * @param lead how many the run asks for ({@link #lead})
   * @param blockLength of the block
   */
  void fetchFirst(int lead, long blockLength) {
    stop = Math.min(lead, blockLength);
    // One large window alone would have the first bytes here only with the last.
    size = lead < ReadGeometry.LONG_RUN ? largest : longest;
    most = maxWindows;
  }

  /** Where in the block to stop fetching. */
  long stop() {
    return stop;
  }

  /** Data bytes of each new window. */
  int size() {
    return size;
  }

  /**
   * Whether to begin one more window.
   *
   * @param windows that are here or under way
   * @param next where they end
   */
  boolean wantsWindow(int windows, long next) {
    return windows == 0 || (windows < windows() && next < stop);
  }

  /** Most windows that are here or under way at a time. */
  int windows() {
    return Math.min(most, maxWindows);
  }

  /**
   * Bytes to read into one window: whole chunks, but for the block's last one, which may be short:
   * what is left fits although it is no whole chunks.
   *
   * @param left bytes to the end of the last chunk that is wanted
   * @param chunk bytes of the block's largest chunk
   * @param capacity of the window for whole chunks
   */
  int windowBytes(long left, int chunk, int capacity) {
    int bytes = left <= size ? size : Math.max(chunk, size / chunk * chunk);
    return (int) Math.min(left, Math.min(capacity, bytes));
  }

  /**
   * Up to where a window's CRCs are read with those of the windows behind it, by one request; there
   * are none behind it where reads are made one after the other.
   *
   * @param offset where the window begins
   * @param bytes of the window
   * @param last where the last chunk ends that is wanted
   */
  long groupEnd(long offset, int bytes, long last) {
    return Math.min(
        last, offset + (maxWindows > 1 ? (long) ReadGeometry.CRC_GROUP * bytes : bytes));
  }

  /**
   * Whether another way may bring what begins at an offset: of a long run, where nobody waits for
   * it.
   */
  boolean mayShare(long next) {
    return budget >= ReadGeometry.LONG_RUN && most > 0 && next >= end;
  }

  /** Whether the windows are kept for the next read. */
  boolean keepsAhead() {
    return budget > 0 && end < length;
  }

  /**
   * How near its block's end the run begins the next block, and how much of that it asks for; 0 as
   * long as it is too short to go on there most probably.
   */
  int lead() {
    if (budget >= ReadGeometry.LONG_RUN) {
      return ReadGeometry.LONG_RUN;
    }
    return budget >= ReadGeometry.NEXT_BLOCK ? ReadGeometry.NEXT_BLOCK : 0;
  }
}
