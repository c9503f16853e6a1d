// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.ReadGeometry;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The read buffers of a JVM: {@link ReadWindow}s of a few sizes, lent to readers and taken back, of
 * bounded memory altogether. Safe for any number of threads; once warm it takes no lock and
 * allocates nothing.
 *
 * <p>Windows that came back are kept for the next reader of about that size. Where all memory is in
 * windows, what idle ones of other sizes have goes to those that are wanted, {@link WindowGroup} by
 * group: so what was wanted once, by many readers at a time, does not decide how all later ones
 * read. A reader for whom there is neither one of the right size nor memory for one gets a larger
 * or a smaller one, and is refused only when there is none that could hold a single chunk.
 */
public final class WindowPool {
  private static final int SLACK = ExtentGather.SLACK_ALIGNMENTS * ReadGeometry.ALIGNMENT;
  private static final int CRC_SLACK = SLACK + WindowCrcs.SLACK;
  private static final int KEPT_MAX = 1 << 14;

  /**
   * Long windows in a group, as far as memory goes. Two: into the memory of one go three of 256 KiB
   * and much is left over, into that of two go seven.
   */
  private static final int GROUP_WINDOWS = 2;

  /** What a reader keeps between reads takes at most this part of the free memory. */
  private static final int KEPT_SHARE = 16;

  private final long maxBytes;
  private final ClientCounters counters;
  private final WindowMemory memory = new WindowMemory();
  private final int[] sizes;
  private final List<IdleStack<ReadWindow>> idle = new ArrayList<>();

  // Memory of groups, in descending order; and all groups, the newest first: those that came last
  // are the first to be idle, for the last window that came back is the first to be lent.
  private final int[] groupBytes;
  private final ConcurrentLinkedDeque<WindowGroup> groups = new ConcurrentLinkedDeque<>();
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
    for (int size : sizes) {
      long windows = Math.max(0, maxBytes) / bytes(size);
      idle.add(new IdleStack<>((int) Math.max(2, Math.min(windows, KEPT_MAX))));
    }
    groupBytes = groupBytes();
  }

  /** Those of several long windows, of one, and of one of each smaller size, for what is left. */
  private int[] groupBytes() {
    int longest = sizeClass(ReadGeometry.LONG_WINDOW);
    int[] bytes = new int[longest + 2];
    bytes[0] = GROUP_WINDOWS * bytes(sizes[longest]);
    for (int i = 0; i <= longest; i++) {
      bytes[i + 1] = bytes(sizes[longest - i]);
    }
    return bytes;
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
    long keepable = share(held);
    if (keepable < wanted) {
      whenScarce.run();
      keepable = share(held);
    }
    if (keepable >= wanted) {
      return wanted;
    }
    return held > 0 ? keepable : inWindows(keepable);
  }

  private long share(long held) {
    return (maxBytes - lentBytes.get() + held) / KEPT_SHARE;
  }

  /**
   * A scarce share in windows that are no larger: who kept a larger one in place of one of its size
   * would keep the memory of many.
   */
  private long inWindows(long bytes) {
    for (int i = sizes.length - 1; i >= 0; i--) {
      if (sizes[i] <= bytes && isToBeHad(i)) {
        return sizes[i] < ReadGeometry.WINDOW ? sizes[i] : bytes;
      }
    }
    return 0;
  }

  private boolean isToBeHad(int sizeClass) {
    int size = sizes[sizeClass];
    if (!idle.get(sizeClass).isEmpty()
        || bytes(size) + ReadGeometry.ALIGNMENT <= maxBytes - allocatedBytes.get()) {
      return true;
    }
    for (WindowGroup group : groups) {
      if (group.windows(size) > 0 && group.isIdle()) {
        return true;
      }
    }
    return false;
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
    ReadWindow window = idleOrMade(wanted);
    for (int i = wanted + 1; window == null && i < sizes.length; i++) {
      window = idle(i);
    }
    for (int i = wanted - 1; window == null && i >= least; i--) {
      window = idleOrMade(i);
    }
    if (window != null) {
      lentBytes.addAndGet(window.footprint());
    }
    return window;
  }

  /** Takes a window back; called by the window, once for each time that it was lent. */
  void takeBack(ReadWindow window) {
    WindowGroup group = window.place().group();
    lentBytes.addAndGet(-window.footprint());
    // One for which there is no place is missed until its group is cut anew.
    idle.get(sizeClass(window.size())).offer(window);
    group.takeBack(); // last, or it might be cut anew first, and the window be idle in vain
  }

  private int sizeClass(int bytes) {
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] >= bytes) {
        return i;
      }
    }
    return sizes.length - 1;
  }

  private @Nullable ReadWindow idleOrMade(int sizeClass) {
    ReadWindow window = idle(sizeClass);
    if (window == null) {
      window = ofNewMemory(sizes[sizeClass]);
    }
    return window != null ? window : ofIdleMemory(sizes[sizeClass]);
  }

  /** Lends one that is idle; those whose memory has gone to others are dropped. */
  private @Nullable ReadWindow idle(int sizeClass) {
    ReadWindow window;
    do {
      window = idle.get(sizeClass).poll();
    } while (window != null && !window.lend());
    return window;
  }

  /** Lends one of memory that was in no window before: of as much as there may be. */
  private @Nullable ReadWindow ofNewMemory(int size) {
    int least = bytes(size);
    WindowGroup group = newGroup(Math.max(least, groupBytes[0]));
    for (int i = 1; group == null && i < groupBytes.length && groupBytes[i] >= least; i++) {
      group = newGroup(groupBytes[i]);
    }
    return group == null ? null : cut(group, WindowGroup.FIRST_CUT, size);
  }

  /** Lends one of memory that is in windows of which none is lent. */
  private @Nullable ReadWindow ofIdleMemory(int size) {
    for (WindowGroup group : groups) {
      int cut = group.windows(size) == 0 ? WindowGroup.LENT : group.cutAnew();
      if (cut != WindowGroup.LENT) {
        return cut(group, cut, size);
      }
    }
    return null;
  }

  private @Nullable WindowGroup newGroup(int bytes) {
    long footprint = (long) bytes + ReadGeometry.ALIGNMENT;
    long before;
    do {
      before = allocatedBytes.get();
      if (footprint > maxBytes - before) {
        return null;
      }
    } while (!allocatedBytes.compareAndSet(before, before + footprint));
    boolean made = false;
    try {
      WindowGroup group = new WindowGroup(memory.take(bytes), footprint);
      groups.addFirst(group);
      made = true;
      return group;
    } catch (OutOfMemoryError e) {
      // -XX:MaxDirectMemorySize is below our bound: as good as exhausted, and no harm to the JVM.
      return null;
    } finally {
      if (!made) {
        allocatedBytes.addAndGet(-footprint);
      }
    }
  }

  /** Makes the windows of a cut, which is the caller's: lends one, the others are idle. */
  private ReadWindow cut(WindowGroup group, int cut, int size) {
    IdleStack<ReadWindow> others = idle.get(sizeClass(size));
    try {
      ReadWindow first = new ReadWindow(this, size, group.place(cut, size, 0), counters);
      for (int i = 1; i < group.windows(size); i++) {
        others.offer(new ReadWindow(this, size, group.place(cut, size, i), counters));
      }
      first.lend();
      return first;
    } finally {
      group.takeBack();
    }
  }

  /** Memory for the CRCs of one window, with chunks of 64 bytes and more. */
  static int crcBytes(int size) {
    return Math.max(ReadGeometry.ALIGNMENT, size / 16);
  }

  /** Memory of a window for its data, of which it can hold so much. */
  static int dataBytes(int size) {
    return size + SLACK;
  }

  /** Memory of a window, for data and CRCs. */
  static int bytes(int size) {
    return dataBytes(size) + crcBytes(size) + CRC_SLACK;
  }
}
