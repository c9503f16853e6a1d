// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Which ranges go to which memory, in the order in which they were begun. For one thread. */
public final class RangeQueue {
  private final ArrayDeque<Range> ranges = new ArrayDeque<>();

  /** A range of a block on its way. */
  public static final class Range {
    private final long offset;
    private final ByteBuffer target;
    private final int at;
    private final int count;

    Range(long offset, ByteBuffer target, int at, int count) {
      this.offset = offset;
      this.target = target;
      this.at = at;
      this.count = count;
    }

    /** Where it begins in the block. */
    public long offset() {
      return offset;
    }

    /** Where its bytes go. */
    public ByteBuffer target() {
      return target;
    }

    /** From which absolute index on. */
    public int at() {
      return at;
    }

    /** Bytes of it. */
    public int count() {
      return count;
    }
  }

  /** Puts one behind the others. */
  public void add(long offset, ByteBuffer target, int at, int count) {
    ranges.addLast(new Range(offset, target, at, count));
  }

  /** Takes the oldest one out; there must be one. */
  public Range removeFirst() {
    return ranges.removeFirst();
  }

  /** How many there are. */
  public int size() {
    return ranges.size();
  }

  /** Forgets all of them. */
  public void clear() {
    ranges.clear();
  }
}
