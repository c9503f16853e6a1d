// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.io.EOFException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FileRange;

/** Ranges as they are read. What Hadoop has for it is another method in each of its lines. */
final class SortedRanges {
  private SortedRanges() {}

  /**
   * These ranges by their offsets, none of which overlap.
   *
   * @throws EOFException if an offset is negative
   * @throws IllegalArgumentException if a length is negative, or two ranges overlap
   */
  static List<FileRange> of(List<? extends FileRange> ranges) throws EOFException {
    List<FileRange> sorted = new ArrayList<>(ranges);
    for (FileRange range : sorted) {
      Objects.requireNonNull(range, "range");
      if (range.getLength() < 0) {
        throw new IllegalArgumentException("a range of a negative length: " + range);
      }
      if (range.getOffset() < 0) {
        throw new EOFException("a range at a negative offset: " + range);
      }
    }
    sorted.sort(Comparator.comparingLong(FileRange::getOffset));
    for (int i = 1; i < sorted.size(); i++) {
      FileRange before = sorted.get(i - 1);
      if (sorted.get(i).getOffset() < before.getOffset() + before.getLength()) {
        throw new IllegalArgumentException(before + " and " + sorted.get(i) + " overlap");
      }
    }
    return sorted;
  }
}
