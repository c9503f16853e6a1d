// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.client.ReadGeometry;
import io.rdio.client.route.Together;
import io.rdio.core.time.MonotonicClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What of a run in order a second way brings: ranges of several windows, each behind what the
 * device has under way when the run comes to begin one more window there. A thread that lives no
 * longer than there are ranges to fill brings them, one after the other, to windows of the {@link
 * WindowPool}; the run's reader takes them in the block's order, between windows of the device.
 *
 * <p>Which ranges is decided when the device's next window is to begin ({@link #past}), by {@link
 * RangeShare}; whether any at all by {@link Together}. So each way takes on what is next as soon as
 * it has room, and how much each has is what it gives. A range that is not here when it is wanted
 * is waited for as long as the device would take for it, and left then; so is one that fails. What
 * is left is for the device.
 *
 * <p>Ranges live as long as what the device has read ahead of the run ({@link ReadAhead}): whoever
 * gives that back, the reader, one who needs memory or a cleaner, has them left, too.
 *
 * <p>Safe for any number of threads, of which one at a time reads. Allocates for each range, and
 * nothing else.
 */
public final class SharedRun implements AutoCloseable {
  /** In place of an offset: no range. */
  public static final long NOWHERE = -1;

  /** Memory of all ranges of a run. */
  private static final long MOST_BYTES = 16L << 20;

  private final WindowPool windows;
  private final MonotonicClock clock;
  private final SecondWay way;
  private final Executor threads;
  private final Together together;
  private volatile boolean hasRanges;
  private volatile boolean mayTakeOn = true;

  // Taken before the lock of a range, and never behind it.
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final RangeRow ranges = new RangeRow();

  @GuardedBy("lock")
  private final RangeShare share = new RangeShare();

  /** Whether a thread fills ranges, or is about to. */
  @GuardedBy("lock")
  private boolean running;

  /** Whether no more are taken on. */
  @GuardedBy("lock")
  private boolean ended;

  private volatile @Nullable IOException failure;

  /**
   * @param clock of the reader's pace
   * @param threads that fill ranges; rejects what it cannot begin at once
   * @param together says when ranges are to be brought, and is told how that goes
   */
  public SharedRun(
      WindowPool windows,
      MonotonicClock clock,
      SecondWay way,
      Executor threads,
      Together together) {
    this.windows = windows;
    this.clock = clock;
    this.way = way;
    this.threads = threads;
    this.together = together;
  }

  /** Says whether more ranges may be taken on from now on, where both ways are on. */
  public void mayTakeOn(boolean more) {
    mayTakeOn = more;
  }

  /** Whether there are ranges that were not passed, as far as is known. */
  public boolean hasRanges() {
    return hasRanges;
  }

  /**
   * The device's next window is about to begin.
   *
   * @param read up to where the run's reader has come
   * @param next where the window would begin, at the start of a chunk
   * @param stop up to where more may be taken on; not behind next for nothing
   * @param chunk bytes of the block's largest one
   * @return where it is to begin: behind what the second way brings, at the start of a chunk or, if
   *     next is, at the block's end
   */
  long past(long read, long next, long stop, int chunk) {
    int window = Math.min(ReadGeometry.LONG_WINDOW, windows.largestWindow()) / chunk * chunk;
    long from;
    int wanted;
    lock.lock();
    try {
      share.cameTo(read, clock.nanos());
      from = ranges.behind(next);
      wanted = window == 0 ? 0 : wanted(from - read, from, stop, window);
    } finally {
      lock.unlock();
    }
    if (wanted == 0) {
      return from;
    }
    // Outside of the lock: who asks for memory may have others leave their ranges.
    int count = (int) (windows.keepable((long) wanted * window, 0) / window);
    SharedRange range = SharedRange.borrow(windows, from, count, window);
    return range != null && isTakenOn(range) ? range.end() : from;
  }

  /** How many windows to take on. */
  @GuardedBy("lock")
  private int wanted(long ahead, long from, long stop, int window) {
    if (ended || !mayTakeOn || !together.isOn() || !ranges.mayGrowAt(from)) {
      return 0;
    }
    long room = Math.min(stop - from, MOST_BYTES - ranges.bytes()) / window;
    int most = share.windows(ahead, ranges.unfilled(), together.nanosPerByte(), window);
    return (int) Math.max(0, Math.min(most, room));
  }

  private boolean isTakenOn(SharedRange range) {
    boolean starts;
    lock.lock();
    try {
      if (ended) {
        range.leave();
        return false;
      }
      ranges.add(range);
      hasRanges = true;
      starts = !running;
      running = true;
    } finally {
      lock.unlock();
    }
    return !starts || isBegun(range);
  }

  private boolean isBegun(SharedRange range) {
    boolean begun = false;
    try {
      threads.execute(this::fillAll);
      begun = true;
    } catch (RejectedExecutionException | UncheckedIOException e) {
      // All are busy, or nobody knows as whom to read: the device does.
    } finally {
      if (!begun) {
        fillsNoMore();
        leave(range);
      }
    }
    return begun;
  }

  private void fillAll() {
    boolean done = false;
    try {
      for (SharedRange range = next(); range != null; range = next()) {
        fill(range);
      }
      done = true;
    } finally {
      if (!done) {
        fillsNoMore();
      }
    }
  }

  private @Nullable SharedRange next() {
    lock.lock();
    try {
      SharedRange waiting = ranges.waiting();
      while (waiting != null && ended) {
        waiting.refuse(); // what has just failed would fail again, and be waited for again
        waiting = ranges.waiting();
      }
      if (waiting == null) {
        running = false;
      } else {
        waiting.begin();
      }
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  private void fillsNoMore() {
    lock.lock();
    try {
      running = false;
    } finally {
      lock.unlock();
    }
  }

  private void fill(SharedRange range) {
    long begun = clock.nanos();
    try {
      if (range.fill(way)) {
        together.brought(range.bytes(), clock.nanos() - begun);
      }
    } catch (IOException e) {
      lock.lock();
      try {
        ended = true;
        failure = e;
      } finally {
        lock.unlock();
      }
    }
  }

  /** Where the range ends that has a byte, or will; {@link #NOWHERE} where none has. */
  public long endOf(long offset) {
    SharedRange range = at(offset);
    return range == null ? NOWHERE : range.end();
  }

  /** The range that has a byte; those that end before it are left. */
  private @Nullable SharedRange at(long offset) {
    lock.lock();
    try {
      SharedRange found = ranges.comeTo(offset);
      hasRanges = !ranges.isEmpty();
      return found;
    } finally {
      lock.unlock();
    }
  }

  /** Where the next range begins, behind an offset that none has; a very large one for none. */
  public long startBehind(long offset) {
    if (!hasRanges) {
      return Long.MAX_VALUE;
    }
    lock.lock();
    try {
      return ranges.startBehind(offset);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies what the second way brought from an offset on to a buffer's position, which stays as it
   * is.
   *
   * @param patienceNanos how long a byte is waited for that is not here
   * @return bytes copied; 0 where no range has the offset, or any more: then it is left, all of it
   */
  public int read(long offset, ByteBuffer target, long patienceNanos) {
    SharedRange range = at(offset);
    if (range == null) {
      return 0;
    }
    int count = range.read(offset, target, patienceNanos);
    if (count == 0) {
      if (isWanted(range) && !Thread.currentThread().isInterrupted()) {
        judge(range);
      }
      leave(range);
      return 0;
    }
    if (offset + count == range.end()) {
      leave(range);
    }
    return count;
  }

  /** Whether nobody has left it meanwhile. */
  private boolean isWanted(SharedRange range) {
    lock.lock();
    try {
      return ranges.contains(range);
    } finally {
      lock.unlock();
    }
  }

  /** What it says of the second way that a range is not here in time. */
  private void judge(SharedRange range) {
    if (range.hasMoved()) {
      together.late(); // or it failed, which the run is told
      return;
    }
    together.failed(); // as good as silent
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
  }

  /** Nobody wants a range any more. */
  private void leave(SharedRange range) {
    lock.lock();
    try {
      ranges.leave(range);
      hasRanges = !ranges.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Leaves all ranges: the reader goes elsewhere, or what the device read ahead is given back. */
  public void leave() {
    lock.lock();
    try {
      share.goesElsewhere();
      ranges.leaveAll();
      hasRanges = false;
    } finally {
      lock.unlock();
    }
  }

  /** Why the second way broke off, once; it brings nothing more to this run. Null if it did not. */
  public @Nullable IOException takeFailure() {
    IOException why = failure;
    if (why != null) {
      failure = null;
    }
    return why;
  }

  /** Leaves all ranges, and takes on no more. Waits for nothing; idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
    leave();
  }
}
