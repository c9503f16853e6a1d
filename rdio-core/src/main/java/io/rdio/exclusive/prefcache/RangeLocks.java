// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Exclusive locks on ranges of blocks: a prefetch, a read and a write of the same blocks come one
 * after the other. A thread holds at most one range at a time, so there is no deadlock; whoever
 * waits is not queued, which is fair enough for ranges that are held for one I/O. Thread-safe.
 */
final class RangeLocks {
  /** What is done while a range is locked. */
  @FunctionalInterface
  interface Action<T> {
    T run() throws IOException, InterruptedException;
  }

  private record Range(long first, long end) {}

  // By the first block. Those of one device do not overlap.
  private final Map<Integer, NavigableMap<Long, Range>> locked = new HashMap<>();

  /**
   * Waits until nobody else has any of the blocks locked, and does something with all of them
   * locked.
   *
   * @param blocks at least 1
   */
  <T> T lock(int device, long firstBlock, int blocks, Action<T> action)
      throws IOException, InterruptedException {
    Range range = new Range(firstBlock, firstBlock + blocks);
    acquire(device, range);
    try {
      return action.run();
    } finally {
      release(device, range);
    }
  }

  private synchronized void acquire(int device, Range range) throws InterruptedException {
    NavigableMap<Long, Range> ranges = locked.computeIfAbsent(device, d -> new TreeMap<>());
    while (overlaps(ranges, range)) {
      wait();
    }
    ranges.put(range.first(), range);
  }

  private static boolean overlaps(NavigableMap<Long, Range> ranges, Range range) {
    // The last one that begins before the end reaches farthest, since none overlaps another.
    Map.Entry<Long, Range> last = ranges.lowerEntry(range.end());
    return last != null && last.getValue().end() > range.first();
  }

  private synchronized void release(int device, Range range) {
    NavigableMap<Long, Range> ranges = locked.get(device);
    if (ranges != null) {
      ranges.remove(range.first());
      notifyAll();
    }
  }
}
