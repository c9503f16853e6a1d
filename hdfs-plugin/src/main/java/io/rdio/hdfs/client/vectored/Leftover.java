// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.impl.CombinedFileRange;
import org.jspecify.annotations.Nullable;

/** A range that a submission leaves to be read by itself. For one thread at a time. */
final class Leftover {
  private final CombinedFileRange range;
  private final @Nullable ApartRanges apart;

  /**
   * @param apart those that it belongs to if a DataNode is to read it; null for an ordinary read
   */
  Leftover(CombinedFileRange range, @Nullable ApartRanges apart) {
    this.range = range;
    this.apart = apart;
  }

  /** Ranges that are for ordinary reads. */
  static List<Leftover> ordinary(List<CombinedFileRange> ranges) {
    List<Leftover> all = new ArrayList<>(ranges.size());
    for (CombinedFileRange range : ranges) {
      all.add(new Leftover(range, null));
    }
    return all;
  }

  CombinedFileRange range() {
    return range;
  }

  /** Whether a DataNode is to read it. */
  boolean isApart() {
    return apart != null;
  }

  /**
   * Has a DataNode read it if that is to.
   *
   * @param to behind whose bytes its position is then
   * @return false where an ordinary read is to follow
   */
  boolean readApart(ByteBuffer to) {
    ApartRanges by = apart;
    return by != null
        && !to.isReadOnly()
        && to.remaining() == range.getLength()
        && by.read(range, to);
  }

  /** It is over, whether it was read or not; to be told once. */
  void over() {
    ApartRanges by = apart;
    if (by != null) {
      by.over();
    }
  }
}
