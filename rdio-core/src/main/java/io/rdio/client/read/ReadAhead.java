// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceDepth;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The windows of one run of reading, in the block's order: the first may be in use, the others are
 * under way behind it, so that the device works while bytes are verified and copied. With it go the
 * session that they are read by, and the plan of the read that it is lent for.
 *
 * <p>It owns its windows: it alone borrows, begins, completes and gives them back. For one thread
 * at a time.
 */
final class ReadAhead {
  private final WindowPool pool;
  private final ReadAheadPool owner;
  private final WindowRow windows = new WindowRow();
  private final ReadPlan plan = new ReadPlan();
  private final InPlaceReads inPlace;
  private final RunProgress progress = new RunProgress();
  private final ReplicaSpread spread;
  private ReadSession session;
  private long next;
  private @Nullable MappedReplica lastReadBy;

  /**
   * @param owner where another session comes from when reads by this one are late
   */
  ReadAhead(WindowPool pool, ReadAheadPool owner, ReadSession session) {
    this.pool = pool;
    this.owner = owner;
    this.session = session;
    this.spread = owner.newSpread();
    this.inPlace = new InPlaceReads(pool, windows, plan);
    adapt();
  }

  private void adapt() {
    plan.by(session.maxWindows(), pool.largestWindow(), session.queue().givesUp());
  }

  /** When it was last moved on, by System.nanoTime; any value before that. */
  long movedNanos() {
    return progress.movedNanos();
  }

  /** By what it reads; for another one that goes on with it, which this one must not then. */
  ReadSession session() {
    return session;
  }

  /** Whether several reads can be under way. */
  boolean hasQueue() {
    return session.hasQueue();
  }

  /** How it does what it was last asked for. */
  ReadPlan plan() {
    return plan;
  }

  /**
   * Plans a read.
   *
   * @param from the reader's replica
   * @param length where in the block its reader stops
   * @param expected where the read before ended, or {@link ReadPlan#NOWHERE}
   */
  void plan(MappedReplica from, Piece piece, long length, long expected) {
    lastReadBy = null;
    plan.begin(piece, length, expected, isAt(piece.start()));
    if (plan.isSequential()) {
      int depth = progress.depth(from.device().depth(), owner.aheadBytes());
      long wanted = plan.wanted(windows.bytes(), depth);
      plan.grant(pool.keepable(wanted, windows.footprint()));
    }
    session.keepCrcs(plan.keepsCrcs());
  }

  /** Lets windows be read by other replicas, too, from now on until this is {@link #clear}. */
  void spreadOver(MappedReplica[] beside) {
    spread.over(beside);
  }

  /** See {@link RunProgress#share}; until this is {@link #clear}. */
  void share(@Nullable SharedRun with, long elsewhere) {
    progress.share(with, elsewhere);
  }

  /** The replica that the last window was of which was begun, waited for or copied; or null. */
  @Nullable MappedReplica lastReadBy() {
    return lastReadBy;
  }

  private boolean isAt(long offset) {
    return windows.count() > 0 && windows.first().isComplete() && windows.first().covers(offset);
  }

  /** Whether the byte at an offset of the block is here, for who reads by a replica. */
  boolean holds(MappedReplica from, long offset) {
    return isAt(offset) && serves(windows.first(), from, offset);
  }

  /** Whether all that a piece wants is so, and in one window. */
  boolean holdsAll(MappedReplica from, Piece piece) {
    return holds(from, piece.offset()) && piece.end() <= windows.first().end();
  }

  private boolean serves(ReadWindow window, MappedReplica from, long offset) {
    return spread.has(from, window.replica()) || window.serves(from, offset);
  }

  /** The window that {@link #holds} an offset. */
  ReadWindow current() {
    lastReadBy = windows.first().replica();
    return windows.first();
  }

  /** Makes this hold a piece's next byte, and begins to read what is to be fetched behind it. */
  void fetch(MappedReplica from, Piece piece) throws FallbackException {
    long next = piece.offset();
    plan.fetch(from.chunkFloor(next), from.chunkCeil(piece.end()));
    if (inPlace.goesOnBehind(from, piece)) {
      plan.fetchNoMore();
    }
    advance(from, next);
  }

  /**
   * Makes this hold the byte at an offset, and begins to read what the plan has behind it.
   *
   * @throws FallbackException why RDIO cannot; what is under way then shows in {@link #clear}
   */
  void advance(MappedReplica from, long offset) throws FallbackException {
    boolean good = false;
    try {
      session.heedInterrupt();
      drop(from, offset);
      if (plan.isSequential()) {
        progress.movedTo(offset, windows.bytes()); // what is not is neither kept nor measured
      }
      fill(from, offset);
      if (windows.first().isComplete()) {
        session.queue().submit();
      } else {
        lastReadBy = windows.first().replica();
        windows.first().complete(); // which begins what is prepared, in one call
      }
      good = true;
    } finally {
      if (!good) {
        clear();
      }
    }
  }

  /**
   * Begins to read a block's first bytes, and waits for nothing.
   *
   * @param lead how many ({@link ReadPlan#lead})
   * @throws FallbackException why RDIO cannot; what is under way then shows in {@link #clear}
   */
  void begin(MappedReplica from, int lead) throws FallbackException {
    boolean good = false;
    try {
      session.keepCrcs(false);
      plan.fetchFirst(lead, from.map().blockLength());
      drop(from, 0);
      progress.movedTo(0, windows.bytes());
      fill(from, 0);
      session.queue().submit();
      good = true;
    } finally {
      if (!good) {
        clear();
      }
    }
  }

  /**
   * Begins to read a range by one window, behind those of other ranges, and waits for nothing. The
   * caller submits it, and takes windows out by {@link #completeFirst} in this order.
   *
   * @param from the same for all ranges; where there are others ({@link #spreadOver}), one of them
   *     may be read by
   * @return how many bytes of the range the window has, from its start; 0 where there is no room
   * @throws FallbackException why RDIO cannot; what is under way then shows in {@link #clear}
   */
  int beginRange(MappedReplica from, long offset, int count) throws FallbackException {
    long start = from.chunkFloor(offset);
    long last = from.chunkCeil(offset + count);
    long longBytes = last - start > ReadGeometry.WINDOW ? longBytes(from) : 0;
    plan.fetchRange(start, last, longBytes, windows.count() == 0);
    session.use(from);
    session.keepCrcs(true);
    int chunk = from.largestChunk();
    ReadWindow window =
        plan.hasRoom(windows.count(), windows.bytes())
            ? pool.tryBorrow(Math.max(plan.size(), chunk), chunk)
            : null;
    if (window == null) {
      return 0;
    }
    int length = beginWindow(window, from, start, last);
    return (int) Math.min(count, start + length - offset);
  }

  /** Bytes that long windows of ranges may have under way: as those of a run that begins. */
  private long longBytes(MappedReplica from) {
    return pool.keepable(from.device().depth().first(DeviceDepth.MOST), windows.footprint());
  }

  /**
   * Waits for the first range's window, moves a piece on to its end by it, and gives it back.
   *
   * @param piece as long as {@link #beginRange} said
   */
  void completeFirst(Piece piece) throws FallbackException {
    session.heedInterrupt();
    ReadWindow window = windows.first();
    lastReadBy = window.replica();
    window.complete();
    window.copy(piece);
    windows.takeFirst().release();
  }

  /**
   * Reads whole windows straight into the caller's memory as far as the plan and alignment allow,
   * all of them at once, and moves the piece on.
   *
   * @return whether any were read; if not, it has to be done by a copy
   */
  boolean readInPlace(MappedReplica from, Piece piece) throws FallbackException {
    if (!plan.mayBeInPlace() || windows.covers(piece.offset())) {
      return false;
    }
    ByteBuffer to = Objects.requireNonNull(piece.direct());
    releaseAll(); // waits for all that is under way, for this queue does not give up
    progress.movedTo(piece.offset(), 0);
    session.use(from);
    int position = to.position();
    int limit = to.limit();
    boolean good = false;
    to.clear();
    try {
      long end = inPlace.read(session, piece, to);
      boolean any = end > piece.offset();
      piece.moveOn((int) (end - piece.offset()));
      good = true;
      return any;
    } finally {
      if (!good) {
        clear();
      }
      to.limit(limit).position(position);
    }
  }

  /**
   * Gives back all windows that nothing is written to any more, waiting for a moment.
   *
   * @return whether these were all; if not, this is for nobody's use until {@link #poll} says so
   */
  boolean clear() {
    if (!releaseAll()) {
      return false;
    }
    progress.end();
    return true;
  }

  /** The same in the midst of a run, which keeps its depth. */
  private boolean releaseAll() {
    progress.leaveShared();
    if (!windows.releaseAll()) {
      return false;
    }
    session.use(null);
    spread.clear();
    return true;
  }

  /** Lets go of the last replica: its device is not to stay open for as long as this is idle. */
  void forgetReplica() {
    lastReadBy = null;
  }

  /**
   * The same as {@link #clear} without waiting, and all or nothing; but what a second way was to
   * bring is left in any case, for it is not under way here.
   */
  boolean poll() {
    progress.leaveShared();
    return session.queue().poll() && clear();
  }

  /** Frees the queue; only when it is {@link #clear}. */
  void close() {
    session.queue().close();
  }

  /** Drops the windows that do not lead on from an offset, or were begun by another map. */
  private void drop(MappedReplica from, long offset) throws FallbackException {
    if (!windows.releaseBefore(offset) || !windows.releaseBehind(kept(from, offset))) {
      leaveLate(from);
    }
    next = windows.count() == 0 ? from.chunkFloor(offset) : windows.last().end();
    session.use(from);
  }

  /** How many lead on: those behind the first only if they were begun by a map of this reader. */
  private int kept(MappedReplica from, long offset) {
    ReadWindow first = windows.count() == 0 ? null : windows.first();
    if (first == null || !first.covers(offset) || !serves(first, from, offset)) {
      return 0;
    }
    int kept = 1;
    while (kept < windows.count() && spread.has(from, windows.get(kept).replica())) {
      kept++;
    }
    return kept;
  }

  /**
   * Leaves all windows, and the session that they are under way by, to the pool, and goes on with
   * another session. What nobody wants any more was waited for a moment only, much shorter than a
   * device has to answer: that says nothing against the device, which the next read will try.
   */
  private void leaveLate(MappedReplica from) throws FallbackException {
    if (Thread.currentThread().isInterrupted()) {
      throw new FallbackException(
          FallbackReason.INTERRUPTED, "waiting for what was read ahead of " + from.device().name());
    }
    ReadAhead late = new ReadAhead(pool, owner, session);
    windows.moveTo(late.windows);
    session = ReadAheadPool.noQueue(); // if there is no other: this fails, and reads no more
    session = owner.succeed(late);
    adapt();
  }

  /**
   * Prepares reads of what is missing; the caller submits them.
   *
   * @param offset up to which the run's reader has come
   */
  private void fill(MappedReplica from, long offset) throws FallbackException {
    long last = from.chunkCeil(plan.stop());
    skipShared(from, offset, last);
    while (plan.wantsWindow(windows.count(), next)) {
      ReadWindow window = borrow(plan.size());
      if (window == null) {
        break;
      }
      next += beginWindow(window, from, next, last);
      skipShared(from, offset, last);
    }
  }

  /** Passes over what the second way brings, which may take on more: not what is wanted next. */
  private void skipShared(MappedReplica from, long offset, long last) {
    if (windows.count() > 0) {
      long stop = plan.mayShare(next) ? last : next;
      next = progress.past(offset, next, stop, from.largestChunk());
    }
  }

  /**
   * Begins a window by the replica that will have it first, behind those that are here.
   *
   * @param last where the last chunk ends that is wanted
   * @return how many bytes it brings
   */
  private int beginWindow(ReadWindow window, MappedReplica from, long start, long last)
      throws FallbackException {
    int length = plan.windowBytes(last - start, from.largestChunk(), window.capacity(from));
    long group = spread.isAlone() ? plan.groupEnd(start, length, last) : 0;
    window.joins(windows.lastOrNull(), group);
    windows.add(window);
    lastReadBy = spread.isAlone() ? from : spread.choose(from, length, session.nowNanos());
    session.use(lastReadBy);
    window.begin(session, start, length);
    return length;
  }

  private @Nullable ReadWindow borrow(int size) throws FallbackException {
    int chunk = session.replica().largestChunk();
    return windows.borrow(pool, Math.max(size, chunk), chunk);
  }
}
