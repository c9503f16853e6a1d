// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.util.Arrays;

/**
 * Where the bytes of one stretch of a file lie, as far as they have a place that readers of the
 * device may be told: holes, and what is not plain written data, are gaps. Immutable.
 */
public final class ExtentWindow {
  /** Takes pieces of a file that lie in one piece on the device. */
  @FunctionalInterface
  public interface PieceSink {
    /** Bytes, counted from the start of the file system's device. */
    void piece(long physical, long length);
  }

  private final long start;
  private final long end;
  // Of extent i at [3i] the file offset, behind it the place on the device and the length.
  private final long[] extents;

  /**
   * @param extents of each the file offset, the place on the device and the length in bytes, in
   *     file order, within {@code [start, end)} and without overlap
   */
  ExtentWindow(long start, long end, long[] extents) {
    this.start = start;
    this.end = end;
    this.extents = extents;
  }

  /**
   * One with a single extent.
   *
   * @param offset of the extent in the file, in the window as its end is
   */
  public static ExtentWindow of(long start, long end, long offset, long physical, long length) {
    return new ExtentWindow(start, end, new long[] {offset, physical, length});
  }

  /** Number of extents. */
  public int count() {
    return extents.length / 3;
  }

  /** Whether all of a range of the window has a place. */
  public boolean covers(long offset, long length) {
    long[] found = new long[1];
    pieces(offset, length, (physical, bytes) -> found[0] += bytes);
    return found[0] == length;
  }

  /** The places of what is mapped of a range, in file order. */
  public void pieces(long offset, long length, PieceSink sink) {
    long stop = offset + length;
    for (int i = firstEndingBehind(offset); i < count() && extents[3 * i] < stop; i++) {
      long from = Math.max(offset, extents[3 * i]);
      long to = Math.min(stop, extents[3 * i] + extents[3 * i + 2]);
      sink.piece(extents[3 * i + 1] + (from - extents[3 * i]), to - from);
    }
  }

  private int firstEndingBehind(long offset) {
    int low = 0;
    int high = count();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (extents[3 * middle] + extents[3 * middle + 2] <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public String toString() {
    return "[" + start + ", " + end + ") " + Arrays.toString(extents);
  }
}
