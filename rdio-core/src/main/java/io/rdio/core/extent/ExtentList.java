// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.extent;

import java.util.Arrays;

/**
 * The extents of one file from offset 0, in file order and without holes. Immutable; safe for any
 * number of threads. Packed into one array, because millions of these are cached.
 */
public final class ExtentList {
  /** Of a file without bytes. */
  public static final ExtentList EMPTY = new ExtentList(new long[0]);

  // For extent i: [2i] its physical start, [2i+1] the file offset just behind it.
  private final long[] packed;

  private ExtentList(long[] packed) {
    this.packed = packed;
  }

  /**
   * Extents of given places and lengths.
   *
   * @param physical byte offsets on the device, one for each extent
   * @param length bytes of each extent, each at least 1
   * @throws IllegalArgumentException if the arrays differ in size, or a value is out of range, or
   *     an end overflows: such a list came from a broken peer
   */
  public static ExtentList of(long[] physical, long[] length) {
    if (physical.length != length.length) {
      throw new IllegalArgumentException(
          physical.length + " extent starts but " + length.length + " extent lengths");
    }
    long[] packed = new long[2 * physical.length];
    long end = 0;
    for (int i = 0; i < physical.length; i++) {
      if (physical[i] < 0
          || length[i] < 1
          || physical[i] > Long.MAX_VALUE - length[i]
          || end > Long.MAX_VALUE - length[i]) {
        throw new IllegalArgumentException(
            "extent " + i + " at " + physical[i] + " of " + length[i] + " bytes is out of range");
      }
      end += length[i];
      packed[2 * i] = physical[i];
      packed[2 * i + 1] = end;
    }
    return packed.length == 0 ? EMPTY : new ExtentList(packed);
  }

  /** Number of extents. */
  public int count() {
    return packed.length / 2;
  }

  /** Bytes covered: file offsets {@code [0, length())} are mapped. */
  public long length() {
    return packed.length == 0 ? 0 : packed[packed.length - 1];
  }

  /** Device offset at which extent {@code i} starts. */
  public long physical(int i) {
    return packed[2 * i];
  }

  /** File offset at which extent {@code i} starts. */
  public long start(int i) {
    return i == 0 ? 0 : packed[2 * i - 1];
  }

  /** File offset just behind extent {@code i}. */
  public long end(int i) {
    return packed[2 * i + 1];
  }

  /**
   * Index of the extent that holds a file offset.
   *
   * @param offset in {@code [0, length())}
   */
  public int indexOf(long offset) {
    if (offset < 0 || offset >= length()) {
      throw new IndexOutOfBoundsException("offset " + offset + " of " + length() + " mapped bytes");
    }
    int low = 0;
    int high = count() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (end(middle) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Largest device offset just behind an extent; 0 when there is none. */
  public long physicalEnd() {
    long max = 0;
    for (int i = 0; i < count(); i++) {
      max = Math.max(max, physical(i) + end(i) - start(i));
    }
    return max;
  }

  /** Whether two extents share a byte of the device, as those of one file never do. */
  public boolean overlaps() {
    long[] starts = new long[count()];
    long[] ends = new long[count()];
    for (int i = 0; i < count(); i++) {
      starts[i] = physical(i);
      ends[i] = physical(i) + end(i) - start(i);
    }
    Arrays.sort(starts);
    Arrays.sort(ends);
    for (int i = 1; i < count(); i++) {
      if (starts[i] < ends[i - 1]) {
        return true;
      }
    }
    return false;
  }

  /** Bytes of heap that this list takes. */
  public int heapBytes() {
    return 16 + 16 + 8 * packed.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExtentList that && Arrays.equals(packed, that.packed);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(packed);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < count(); i++) {
      text.append(i == 0 ? "" : ", ").append(start(i)).append("..").append(end(i));
      text.append("@").append(physical(i));
    }
    return text.append("]").toString();
  }
}
