// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A range of a {@link SharedRun} that the second way brings, and the windows that it lies in. One
 * thread fills it, another one reads what is here already, and any may leave it: that waits for
 * nothing, and while somebody may still write to the windows it is the writer who gives them back.
 */
final class SharedRange {
  /** How much is brought before others may have it. */
  private static final int PART = 256 << 10;

  private final long start;
  private final long end;
  private final int window;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();

  @GuardedBy("lock")
  private final List<ReadWindow> windows;

  /** Up to where its bytes are here. */
  @GuardedBy("lock")
  private long filled;

  /** Whether somebody has begun to fill it, and has ended. */
  @GuardedBy("lock")
  private boolean begun;

  @GuardedBy("lock")
  private boolean over;

  /** Whether nobody wants it any more. */
  @GuardedBy("lock")
  private boolean left;

  // Who fills it, and by what.
  @GuardedBy("lock")
  private @Nullable Thread filler;

  @GuardedBy("lock")
  private SecondWay.@Nullable Range source;

  private SharedRange(long start, int window, List<ReadWindow> windows) {
    this.start = start;
    this.end = start + (long) window * windows.size();
    this.window = window;
    this.windows = windows;
    this.filled = start;
  }

  /**
   * Borrows memory for one.
   *
   * @param count of windows; fewer where memory is scarce
   * @param window bytes of each
   * @return null where there is none
   */
  static @Nullable SharedRange borrow(WindowPool pool, long start, int count, int window) {
    List<ReadWindow> windows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ReadWindow lent = pool.tryBorrow(window, window);
      if (lent == null) {
        break;
      }
      windows.add(lent);
    }
    return windows.isEmpty() ? null : new SharedRange(start, window, windows);
  }

  long start() {
    return start;
  }

  long end() {
    return end;
  }

  long bytes() {
    return end - start;
  }

  boolean covers(long offset) {
    return offset >= start && offset < end;
  }

  /** Whether nobody has begun to fill it. */
  boolean isWaiting() {
    lock.lock();
    try {
      return !begun;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes that are still to come. */
  long unfilled() {
    lock.lock();
    try {
      return over || left ? 0 : end - filled;
    } finally {
      lock.unlock();
    }
  }

  /** Whether bytes of it have come, or it is known that none will. */
  boolean hasMoved() {
    lock.lock();
    try {
      return over || left || filled > start;
    } finally {
      lock.unlock();
    }
  }

  /** The calling thread is going to {@link #fill} it. */
  void begin() {
    lock.lock();
    try {
      begun = true;
      filler = Thread.currentThread();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody is going to fill it: who wants its bytes does not wait for them. */
  void refuse() {
    lock.lock();
    try {
      begun = true;
      over = true;
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Fills it, on the thread that has begun it.
   *
   * @return whether all of it came; false where it was left meanwhile
   * @throws IOException where the second way could not, though it was wanted
   */
  boolean fill(SecondWay way) throws IOException {
    long at = start;
    try (SecondWay.Range from = way.open(start, end)) {
      boolean goesOn = isStillWanted(from);
      while (goesOn) {
        ByteBuffer part = partAt(at);
        int bytes = part.remaining();
        from.read(at, part);
        at += bytes;
        goesOn = isWantedFrom(at);
      }
    } catch (IOException e) {
      throwIfWanted(e);
    } catch (RuntimeException | LinkageError e) {
      throwIfWanted(new IOException("a fault of the second way: " + e, e));
    } finally {
      finish();
    }
    return at == end;
  }

  private boolean isStillWanted(SecondWay.Range from) {
    lock.lock();
    try {
      source = from;
      return !left;
    } finally {
      lock.unlock();
    }
  }

  /** Where the next bytes go. */
  private ByteBuffer partAt(long offset) {
    int in = (int) (offset - start);
    int at = in % window;
    int length = Math.min(PART, window - at);
    return memory(in / window).limit(at + length).position(at);
  }

  private ByteBuffer memory(int i) {
    lock.lock();
    try {
      return windows.get(i).memory().duplicate().clear();
    } finally {
      lock.unlock();
    }
  }

  /** What is before an offset is here; whether what is behind it is to come, too. */
  private boolean isWantedFrom(long offset) {
    lock.lock();
    try {
      filled = offset;
      moved.signalAll();
      return !left && offset < end;
    } finally {
      lock.unlock();
    }
  }

  private void throwIfWanted(IOException why) throws IOException {
    lock.lock();
    try {
      if (!left && filled < end) {
        throw why;
      }
    } finally {
      lock.unlock();
    }
  }

  private void finish() {
    lock.lock();
    try {
      over = true;
      filler = null;
      source = null;
      if (left) {
        release();
        Thread.interrupted(); // it was meant for this range, and not for the next one
      }
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies bytes from an offset on to a buffer's position, which stays as it is.
   *
   * @param offset that it {@link #covers}
   * @param patienceNanos how long a byte is waited for that is not here
   * @return how many; 0 where there are none, the thread's interrupt flag set where that is why
   */
  int read(long offset, ByteBuffer target, long patienceNanos) {
    lock.lock();
    try {
      long wait = patienceNanos;
      while (offset >= filled && !over && !left && wait > 0) {
        wait = moved.awaitNanos(wait);
      }
      return left || offset >= filled ? 0 : copy(offset, target);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private int copy(long offset, ByteBuffer target) {
    int in = (int) (offset - start);
    int at = in % window;
    int count = (int) Math.min(Math.min(target.remaining(), filled - offset), window - at);
    target.put(target.position(), memory(in / window), at, count);
    return count;
  }

  /** Nobody wants it any more; harmless when repeated. */
  void leave() {
    lock.lock();
    try {
      if (!left) {
        left = true;
        if (begun && !over && filled < end) {
          stop();
        } else {
          release();
        }
        moved.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Has its thread end soon, which gives the memory back. */
  @GuardedBy("lock")
  private void stop() {
    SecondWay.Range by = source;
    if (by != null) {
      by.close();
    }
    Thread thread = filler;
    if (thread != null) {
      thread.interrupt();
    }
  }

  @GuardedBy("lock")
  private void release() {
    windows.forEach(ReadWindow::release);
    windows.clear();
  }
}
