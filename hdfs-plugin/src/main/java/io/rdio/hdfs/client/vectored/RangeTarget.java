// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.nio.ByteBuffer;
import org.apache.hadoop.fs.impl.CombinedFileRange;

/** A range of a file on its way to its buffer, perhaps from several blocks. For one thread. */
final class RangeTarget {
  private final CombinedFileRange range;
  private final ByteBuffer bytes;
  private final int at;
  private int missing;

  /**
   * @param bytes with room for all of the range from its position on
   */
  RangeTarget(CombinedFileRange range, ByteBuffer bytes) {
    this.range = range;
    this.bytes = bytes;
    this.at = bytes.position();
    this.missing = range.getLength();
  }

  CombinedFileRange range() {
    return range;
  }

  ByteBuffer bytes() {
    return bytes;
  }

  /** Where in the buffer the byte at an offset of the file goes. */
  int placeOf(long offset) {
    return at + (int) (offset - range.getOffset());
  }

  /** Notes that so many bytes are there. */
  void arrived(int count) {
    missing -= count;
  }

  /** Whether all bytes are there. */
  boolean isComplete() {
    return missing == 0;
  }

  /** The buffer, with the range's bytes between position and limit. */
  ByteBuffer filled() {
    bytes.limit(at + range.getLength());
    return bytes;
  }
}
