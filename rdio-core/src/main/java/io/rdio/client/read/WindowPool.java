// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The read buffers of a JVM: {@link ReadWindow}s of a few sizes, lent to readers and taken back, of
 * bounded memory altogether. Safe for any number of threads; once warm it takes no lock and
 * allocates nothing.
 *
 * <p>Windows that came back are kept for the next reader of about that size. A reader for whom
 * there is neither one of the right size nor memory for one gets a larger or a smaller one, and is
 * refused only when there is none that could hold a single chunk.
 */
public final class WindowPool {
  private static final int SLACK = ExtentGather.SLACK_ALIGNMENTS * ReadGeometry.ALIGNMENT;
  private static final int CRC_SLACK = SLACK + WindowCrcs.SLACK;
  private static final int KEPT_MAX = 1 << 14;

  /** What a reader keeps between reads takes at most this part of the free memory. */
  private static final int KEPT_SHARE = 16;

  private final long maxBytes;
  private final ClientCounters counters;
  private final WindowMemory memory = new WindowMemory();
  private final int[] sizes;
  private final List<IdleStack<ReadWindow>> idle = new ArrayList<>();
  private final AtomicLong allocatedBytes = new AtomicLong();
  private final AtomicLong lentBytes = new AtomicLong();
  private volatile Runnable whenScarce = () -> {};

  /**
   * @param maxBytes bound of all memory, lent or not
   * @param windowBytes data bytes of the largest window ({@link io.rdio.core.Setting#READ_WINDOW});
   *     rounded up to a power of two from 16 KiB to 64 MiB
   */
  public WindowPool(long maxBytes, int windowBytes, ClientCounters counters) {
    this.maxBytes = maxBytes;
    this.counters = counters;
    sizes = ReadGeometry.windowSizes(windowBytes);
    for (int i = 0; i < sizes.length; i++) {
      long windows = Math.max(0, maxBytes) / footprint(sizes[i]);
      idle.add(new IdleStack<>((int) Math.max(2, Math.min(windows, KEPT_MAX))));
    }
  }

  /** Data bytes of the largest window: no chunk beyond it can be verified. */
  public int largestWindow() {
    return sizes[sizes.length - 1];
  }

  /** Bytes that readers hold now. */
  public long lentBytes() {
    return lentBytes.get();
  }

  /** Bytes allocated, lent or idle; never more than the bound. */
  public long allocatedBytes() {
    return allocatedBytes.get();
  }

  /**
   * Data bytes that a reader may keep between two reads, up to what is wanted. Shrinks as memory
   * gets scarce, so that a thousand open streams make each other slower and nobody is refused.
   *
   * @param held memory of what the reader keeps already, and would keep on or exchange
   */
  long keepable(long wanted, long held) {
    long keepable = (maxBytes - lentBytes.get() + held) / KEPT_SHARE;
    if (keepable < wanted) {
      whenScarce.run();
      keepable = (maxBytes - lentBytes.get() + held) / KEPT_SHARE;
    }
    return Math.min(wanted, keepable);
  }

  /**
   * Names who has idle readers give their windows back.
   *
   * @param takeFromIdle is called often while windows are scarce, by readers
   */
  void whenScarce(Runnable takeFromIdle) {
    whenScarce = takeFromIdle;
  }

  /**
   * Lends a window, which {@link ReadWindow#release} gives back.
   *
   * @param preferred data bytes that would be best; more than the largest window is that
   * @param minimum data bytes without which it is of no use, at most {@link #largestWindow}
   * @throws FallbackException BUFFERS_EXHAUSTED
   */
  ReadWindow borrow(int preferred, int minimum) throws FallbackException {
    ReadWindow window = tryBorrow(preferred, minimum);
    if (window == null) {
      whenScarce.run();
      window = tryBorrow(preferred, minimum);
    }
    if (window == null) {
      throw new FallbackException(
          FallbackReason.BUFFERS_EXHAUSTED,
          lentBytes
              + " of "
              + maxBytes
              + " bytes are lent to readers, none left for a window of "
              + sizes[sizeClass(minimum)]);
    }
    return window;
  }

  /** The same; null where {@link #borrow} refuses. */
  @Nullable ReadWindow tryBorrow(int preferred, int minimum) {
    int wanted = sizeClass(preferred);
    int least = sizeClass(minimum);
    ReadWindow window = idleOrNew(wanted);
    for (int i = wanted + 1; window == null && i < sizes.length; i++) {
      window = idle.get(i).poll();
    }
    for (int i = wanted - 1; window == null && i >= least; i--) {
      window = idleOrNew(i);
    }
    if (window != null) {
      window.lend();
      lentBytes.addAndGet(footprint(window.size()));
    }
    return window;
  }

  /** Takes a window back; called by the window, once for each time that it was lent. */
  void takeBack(ReadWindow window) {
    lentBytes.addAndGet(-footprint(window.size()));
    if (!idle.get(sizeClass(window.size())).offer(window)) {
      allocatedBytes.addAndGet(-footprint(window.size()));
    }
  }

  private int sizeClass(int bytes) {
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] >= bytes) {
        return i;
      }
    }
    return sizes.length - 1;
  }

  private @Nullable ReadWindow idleOrNew(int sizeClass) {
    ReadWindow window = idle.get(sizeClass).poll();
    return window != null ? window : allocate(sizes[sizeClass]);
  }

  private @Nullable ReadWindow allocate(int size) {
    long bytes = footprint(size);
    long before;
    do {
      before = allocatedBytes.get();
      if (bytes > maxBytes - before) {
        return null;
      }
    } while (!allocatedBytes.compareAndSet(before, before + bytes));
    try {
      return new ReadWindow(
          this,
          size,
          memory.take(size + SLACK),
          WindowMemory.small(crcBytes(size) + CRC_SLACK),
          counters);
    } catch (OutOfMemoryError e) {
      // -XX:MaxDirectMemorySize is below our bound: as good as exhausted, and no harm to the JVM.
      allocatedBytes.addAndGet(-bytes);
      return null;
    }
  }

  /** Memory for the CRCs of one window, with chunks of 64 bytes and more. */
  static int crcBytes(int size) {
    return Math.max(ReadGeometry.ALIGNMENT, size / 16);
  }

  /** Memory that a window takes. */
  static long footprint(int size) {
    return size + crcBytes(size) + SLACK + CRC_SLACK + 2L * ReadGeometry.ALIGNMENT;
  }
}
