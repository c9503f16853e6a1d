// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Gathers the extents of one window of a file from FIEMAP answers, and believes none of them: what
 * is not plain written data, or does not make sense, becomes a gap. Not thread-safe.
 */
final class ExtentWindowParser {
  private static final int LAST = 0x1;
  private static final int MERGED = 0x1000;

  /** Another file has it too (reflink): to read it is as good as any, until either is written. */
  private static final int SHARED = 0x2000;

  private final long start;
  private final long end;
  private long[] extents = new long[12];
  private int used;
  private long mapped;
  private boolean complete;

  ExtentWindowParser(long start, long end) {
    this.start = start;
    this.end = end;
    this.mapped = start;
  }

  /** True when there is nothing more to ask. */
  boolean isComplete() {
    return complete;
  }

  /** File offset at which the next answer has to start. */
  long next() {
    return mapped;
  }

  /** File offset just behind the window. */
  long end() {
    return end;
  }

  /** Takes the answer to a question for {@code [next(), end)}. */
  void accept(ByteBuffer answer) {
    int count = Fiemap.mappedExtents(answer);
    int room = (answer.capacity() - Fiemap.HEADER_BYTES) / Fiemap.EXTENT_BYTES;
    long before = mapped;
    boolean last = false;
    for (int i = 0; i < Math.min(count, room); i++) {
      int at = Fiemap.HEADER_BYTES + i * Fiemap.EXTENT_BYTES;
      int flags = answer.getInt(at + 40);
      add(answer.getLong(at), answer.getLong(at + 8), answer.getLong(at + 16), flags);
      last = (flags & LAST) != 0;
    }
    // An answer that leads nowhere ends the window, else it would be asked for for ever.
    complete = last || count < room || mapped >= end || mapped == before;
  }

  private void add(long logical, long physical, long length, int flags) {
    if (logical < 0
        || length <= 0
        || physical < 0
        || logical > Long.MAX_VALUE - length
        || physical > Long.MAX_VALUE - length) {
      return;
    }
    long from = Math.max(logical, mapped);
    long to = Math.min(logical + length, end);
    if (from >= to) {
      return;
    }
    if ((flags & ~(LAST | MERGED | SHARED)) == 0) {
      append(from, physical + (from - logical), to - from);
    }
    mapped = to;
  }

  private void append(long offset, long physical, long length) {
    if (used > 0
        && extents[used - 3] + extents[used - 1] == offset
        && extents[used - 2] + extents[used - 1] == physical) {
      extents[used - 1] += length;
      return;
    }
    if (used == extents.length) {
      extents = Arrays.copyOf(extents, 2 * used);
    }
    extents[used] = offset;
    extents[used + 1] = physical;
    extents[used + 2] = length;
    used += 3;
  }

  ExtentWindow window() {
    return new ExtentWindow(start, end, Arrays.copyOf(extents, used));
  }
}
