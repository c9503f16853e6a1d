// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.ReadQueue;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The windows of one run of reading, in the block's order: the first may be in use, the others are
 * under way behind it, so that the device works while bytes are verified and copied. For one thread
 * at a time.
 */
final class ReadAhead {
  /**
   * Most windows under way: what keeps a device busy that takes several requests at once. More were
   * faster yet, but Linux's NVMe/TCP initiator gives up requests of a dead link one after the other
   * (docs/nvmeof.md), and a reader waits for all of its own.
   */
  static final int MAX_WINDOWS = 16;

  private final WindowPool pool;
  private final ReadAheadPool owner;
  private @Nullable ReadQueue queue;
  private final @Nullable ReadWindow[] windows = new @Nullable ReadWindow[MAX_WINDOWS];
  private int first;
  private int count;
  private long next;
  private @Nullable MappedReplica replica;
  private boolean keepCrcs;

  // Read by who looks for idle ones, without a lock: an old value costs that one its windows.
  private long movedNanos;

  /**
   * @param owner where another queue comes from when reads on this one are late
   * @param queue where reads go; null to read one after the other
   */
  ReadAhead(WindowPool pool, ReadAheadPool owner, @Nullable ReadQueue queue) {
    this.pool = pool;
    this.owner = owner;
    this.queue = queue;
  }

  /** When it was last moved on, by System.nanoTime; any value before that. */
  long movedNanos() {
    return movedNanos;
  }

  /** Its queue, for another one that goes on with it; this one is done with then. */
  @Nullable ReadQueue queue() {
    return queue;
  }

  /** Whether several reads can be under way. */
  boolean hasQueue() {
    return queue != null;
  }

  /** How many windows are worth having at a time. */
  int maxWindows() {
    return queue == null ? 1 : MAX_WINDOWS;
  }

  /**
   * Whether CRCs of what is read from now on are worth keeping with the map: those of positional
   * reads are, which come again for other bytes nearby; a sequential run needs each only once.
   */
  void keepCrcs(boolean worthIt) {
    keepCrcs = worthIt;
  }

  /** Data bytes of all windows. */
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += window(i).size();
    }
    return bytes;
  }

  /** Memory that all windows take. */
  long footprint() {
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += WindowPool.footprint(window(i).size());
    }
    return bytes;
  }

  /** Whether the byte at an offset of the block is here, verified. */
  boolean holds(long offset) {
    return count > 0 && window(0).isComplete() && window(0).covers(offset);
  }

  private boolean covers(long offset) {
    for (int i = 0; i < count; i++) {
      if (window(i).covers(offset)) {
        return true;
      }
    }
    return false;
  }

  /** The window that {@link #holds} an offset. */
  ReadWindow current() {
    return window(0);
  }

  /**
   * Makes this hold the byte at an offset, and begins to read what comes behind it.
   *
   * @param end where in the block to stop reading
   * @param size data bytes of each new window
   * @param most windows to have at a time, 1 to {@link #maxWindows}
   * @throws FallbackException why RDIO cannot; what is under way then shows in {@link #clear}
   */
  void advance(MappedReplica from, long offset, long end, int size, int most, MonotonicClock clock)
      throws FallbackException {
    boolean good = false;
    try {
      heedInterrupt();
      drop(from, offset);
      fill(from, end, size, most, clock);
      if (window(0).isComplete()) {
        submit();
      } else {
        window(0).complete(clock, queue); // which begins what is prepared, in one call
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
   * @param end where to stop
   * @param size data bytes of each window
   * @throws FallbackException why RDIO cannot; what is under way then shows in {@link #clear}
   */
  void begin(MappedReplica from, long end, int size, MonotonicClock clock)
      throws FallbackException {
    boolean good = false;
    try {
      keepCrcs(false);
      drop(from, 0);
      fill(from, end, size, maxWindows(), clock);
      submit();
      good = true;
    } finally {
      if (!good) {
        clear();
      }
    }
  }

  /**
   * Reads whole windows straight into the caller's memory as far as alignment allows, all of them
   * at once.
   *
   * @return bytes read; 0 where it has to be done by a copy, or is under way already to be copied;
   *     always 0 where the queue {@link ReadQueue#givesUp}: the caller's memory must not be given
   *     back to it while the kernel may write to it
   */
  int readInPlace(
      MappedReplica from,
      long offset,
      ByteBuffer to,
      int at,
      int length,
      int size,
      MonotonicClock clock)
      throws FallbackException {
    if (!to.isDirect() || covers(offset) || (queue != null && queue.givesUp())) {
      return 0;
    }
    clear(); // waits for all that is under way, for this queue does not give up
    int position = to.position();
    int limit = to.limit();
    int begun = 0;
    int done = 0;
    boolean good = false;
    to.clear();
    try {
      while (begun < length || count > 0) {
        if (begun < length && count < maxWindows()) {
          int piece =
              beginInPlace(from, offset + begun, to, at + begun, length - begun, size, clock);
          if (piece > 0) {
            begun += piece;
            continue;
          }
          length = begun;
        } else {
          submit();
          ReadWindow oldest = window(0);
          long end = oldest.end();
          oldest.complete(clock, queue);
          done = (int) (end - offset);
          removeFirst();
        }
      }
      good = true;
      return done;
    } finally {
      if (!good) {
        clear();
      }
      to.limit(limit).position(position);
    }
  }

  private int beginInPlace(
      MappedReplica from,
      long offset,
      ByteBuffer to,
      int at,
      int length,
      int size,
      MonotonicClock clock)
      throws FallbackException {
    ReadWindow window = borrow(from, size);
    if (window == null) {
      return 0;
    }
    int unit = Math.max(from.chunk(), from.device().alignment());
    int piece = Math.min(length, window.capacity(from)) / unit * unit;
    if (piece == 0 || !window.fitsInPlace(from, offset, piece, to, at)) {
      window.release();
      return 0;
    }
    add(window);
    window.beginInPlace(from, offset, piece, to, at, keepCrcs, clock, queue);
    return piece;
  }

  /**
   * Gives back all windows that nothing is written to any more, waiting for a moment.
   *
   * @return whether these were all; if not, this is for nobody's use until {@link #poll} says so
   */
  boolean clear() {
    while (count > 0) {
      if (!window(0).abandon(queue)) {
        return false;
      }
      removeFirst();
    }
    replica = null;
    return true;
  }

  /** The same without waiting, and all or nothing. */
  boolean poll() {
    return (queue == null || queue.poll()) && clear();
  }

  /** Where stock HDFS gives up, too: before it waits for bytes that are not here. */
  private void heedInterrupt() throws FallbackException {
    if (queue != null && queue.givesUp() && Thread.currentThread().isInterrupted()) {
      throw new FallbackException(FallbackReason.INTERRUPTED, "before a read of the device");
    }
  }

  /** Frees the queue; only when it is {@link #clear}. */
  void close() {
    if (queue != null) {
      queue.close();
    }
  }

  /** Drops the windows that do not lead on from an offset, or were begun by another map. */
  private void drop(MappedReplica from, long offset) throws FallbackException {
    movedNanos = System.nanoTime();
    if (!hasDropped(from, offset)) {
      leaveLate(from);
    }
    next = count == 0 ? from.chunkFloor(offset) : window(count - 1).end();
    replica = from;
  }

  /** Drops them up to the first one that the kernel may still write to: false if there is one. */
  private boolean hasDropped(MappedReplica from, long offset) {
    while (count > 0 && offset >= window(0).end()) {
      if (!window(0).abandon(queue)) {
        return false;
      }
      removeFirst();
    }
    boolean here = count > 0 && window(0).covers(offset);
    int kept = !here ? 0 : isOf(from) ? count : window(0).isComplete() ? 1 : 0;
    while (count > kept) {
      if (!window(count - 1).abandon(queue)) {
        return false;
      }
      removeLast();
    }
    return true;
  }

  /**
   * Leaves all windows, and the queue that they are under way on, to the pool, and goes on with
   * another queue. What nobody wants any more was waited for a moment only, much shorter than a
   * device has to answer: that says nothing against the device, which the next read will try.
   */
  private void leaveLate(MappedReplica from) throws FallbackException {
    if (Thread.currentThread().isInterrupted()) {
      throw new FallbackException(
          FallbackReason.INTERRUPTED, "waiting for what was read ahead of " + from.device().name());
    }
    ReadAhead late = new ReadAhead(pool, owner, queue);
    while (count > 0) {
      late.add(window(0));
      forgetFirst();
    }
    queue = owner.replaceQueue(late);
  }

  /** Prepares reads of what is missing; the caller submits them. */
  private void fill(MappedReplica from, long end, int size, int most, MonotonicClock clock)
      throws FallbackException {
    long last = from.chunkCeil(end);
    int fitting = Math.min(most, maxWindows()); // for drop() may have taken the queue away
    while (count == 0 || (count < fitting && next < end)) {
      ReadWindow window = borrow(from, size);
      if (window == null) {
        break;
      }
      add(window);
      // The block's last chunk may be short: what is left fits although it is no whole chunks.
      int piece = last - next <= size ? size : wholeChunks(from, size);
      int length = (int) Math.min(last - next, Math.min(window.capacity(from), piece));
      window.begin(from, next, length, keepCrcs, clock, queue);
      next += length;
    }
  }

  @SuppressWarnings("ReferenceEquality") // Another object is another lease.
  private boolean isOf(MappedReplica from) {
    return replica == from;
  }

  private void submit() {
    if (queue != null) {
      queue.submit();
    }
  }

  /** One more window; null where memory is too scarce for another beside those that are here. */
  private @Nullable ReadWindow borrow(MappedReplica from, int size) throws FallbackException {
    int chunk = from.largestChunk();
    int preferred = Math.max(size, chunk);
    return count > 0 ? pool.tryBorrow(preferred, chunk) : pool.borrow(preferred, chunk);
  }

  private static int wholeChunks(MappedReplica from, int size) {
    int chunk = from.largestChunk();
    return Math.max(chunk, size / chunk * chunk);
  }

  private ReadWindow window(int i) {
    return Objects.requireNonNull(windows[(first + i) % MAX_WINDOWS]);
  }

  private void add(ReadWindow window) {
    windows[(first + count) % MAX_WINDOWS] = window;
    count++;
  }

  private void removeFirst() {
    ReadWindow window = window(0);
    forgetFirst();
    window.release();
  }

  private void forgetFirst() {
    windows[first] = null;
    first = (first + 1) % MAX_WINDOWS;
    count--;
  }

  private void removeLast() {
    ReadWindow window = window(count - 1);
    windows[(first + count - 1) % MAX_WINDOWS] = null;
    count--;
    window.release();
  }
}
