// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.extent;

import java.util.Arrays;

/**
 * The extents of one file from offset 0, in file order and without holes. Immutable; safe for any
 * number of threads. Packed into one array, because millions of these are cached.
 *
 * <p>Eight bytes for an extent whose place and end are whole sectors, below 256 TiB on the device
 * and 8 GiB in the file, as those of block files are; sixteen for each if one of them is not.
 */
public final class ExtentList {
  /** Of a file without bytes. */
  public static final ExtentList EMPTY = new ExtentList(new long[0]);

  private static final int SECTOR_BITS = 9;
  private static final int END_BITS = 24;
  private static final long MAX_PHYSICAL = (1L << (Long.SIZE - 1 - END_BITS + SECTOR_BITS)) - 1;
  private static final long MAX_END = (1L << (END_BITS + SECTOR_BITS)) - 1;
  private static final long SECTOR_MASK = (1L << SECTOR_BITS) - 1;
  private static final long END_MASK = (1L << END_BITS) - 1;

  // Narrow: for extent i [i] has the sector it starts at on the device and behind it, in END_BITS,
  // the sector of the file that it ends before. Wide, in bytes: [2i] is the complement of its
  // physical start, [2i+1] the file offset just behind it. So the first is negative in a wide list
  // only.
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
    long end = 0;
    boolean narrow = true;
    for (int i = 0; i < physical.length; i++) {
      if (physical[i] < 0
          || length[i] < 1
          || physical[i] > Long.MAX_VALUE - length[i]
          || end > Long.MAX_VALUE - length[i]) {
        throw new IllegalArgumentException(
            "extent " + i + " at " + physical[i] + " of " + length[i] + " bytes is out of range");
      }
      end += length[i];
      narrow &= ((physical[i] | end) & SECTOR_MASK) == 0;
      narrow &= physical[i] <= MAX_PHYSICAL && end <= MAX_END;
    }
    return physical.length == 0 ? EMPTY : new ExtentList(pack(physical, length, narrow));
  }

  private static long[] pack(long[] physical, long[] length, boolean narrow) {
    long[] packed = new long[narrow ? physical.length : 2 * physical.length];
    long end = 0;
    for (int i = 0; i < physical.length; i++) {
      end += length[i];
      if (narrow) {
        packed[i] = ((physical[i] >> SECTOR_BITS) << END_BITS) | (end >> SECTOR_BITS);
      } else {
        packed[2 * i] = ~physical[i];
        packed[2 * i + 1] = end;
      }
    }
    return packed;
  }

  private boolean wide() {
    return packed.length > 0 && packed[0] < 0;
  }

  /** Number of extents. */
  public int count() {
    return wide() ? packed.length / 2 : packed.length;
  }

  /** Bytes covered: file offsets {@code [0, length())} are mapped. */
  public long length() {
    return packed.length == 0 ? 0 : end(count() - 1);
  }

  /** Device offset at which extent {@code i} starts. */
  public long physical(int i) {
    return wide() ? ~packed[2 * i] : (packed[i] >>> END_BITS) << SECTOR_BITS;
  }

  /** File offset at which extent {@code i} starts. */
  public long start(int i) {
    return i == 0 ? 0 : end(i - 1);
  }

  /** File offset just behind extent {@code i}. */
  public long end(int i) {
    return wide() ? packed[2 * i + 1] : (packed[i] & END_MASK) << SECTOR_BITS;
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
    return 16 + 16 + Long.BYTES * packed.length;
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
