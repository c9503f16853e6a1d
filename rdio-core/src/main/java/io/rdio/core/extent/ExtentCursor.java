// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.extent;

import java.util.Objects;

/**
 * Cuts a byte range of a file into runs: pieces that lie contiguously on the device, in file order.
 * Extents that adjoin on the device make one run. Reusable, so that a reader cuts range after range
 * without allocating; for one thread at a time.
 *
 * <pre>{@code
 * cursor.seek(extents, offset, length);
 * while (cursor.next()) {
 *   read(cursor.physical(), cursor.length());
 * }
 * }</pre>
 */
public final class ExtentCursor {
  private ExtentList extents = ExtentList.EMPTY;
  private int index;
  private long position;
  private long end;
  private long physical;
  private long length;

  /**
   * Starts over with the range {@code [offset, offset + rangeLength)} of a file.
   *
   * @throws IndexOutOfBoundsException if the extents do not cover the range
   */
  public void seek(ExtentList extents, long offset, long rangeLength) {
    Objects.checkFromIndexSize(offset, rangeLength, extents.length());
    this.extents = extents;
    this.position = offset;
    this.end = offset + rangeLength;
    this.index = rangeLength == 0 ? 0 : extents.indexOf(offset);
    this.physical = 0;
    this.length = 0;
  }

  /** Moves to the next run; false when the range is used up. */
  public boolean next() {
    if (position == end) {
      return false;
    }
    physical = extents.physical(index) + position - extents.start(index);
    long runEnd = Math.min(end, extents.end(index));
    while (runEnd < end && extents.physical(index + 1) == physical + runEnd - position) {
      index++;
      runEnd = Math.min(end, extents.end(index));
    }
    length = runEnd - position;
    position = runEnd;
    if (runEnd == extents.end(index)) {
      index++;
    }
    return true;
  }

  /** Device offset of the current run, in bytes. */
  public long physical() {
    return physical;
  }

  /** Bytes of the current run, at least 1. */
  public long length() {
    return length;
  }

  /**
   * Whether every run that is still to come starts and ends on a multiple of {@code alignment} on
   * the device, so that it can be read to its place without a detour. Uses the cursor up.
   *
   * @param alignment a power of two
   */
  public boolean remainingAligned(int alignment) {
    while (next()) {
      if (((physical | length) & (alignment - 1)) != 0) {
        return false;
      }
    }
    return true;
  }
}
