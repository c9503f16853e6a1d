// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

/**
 * How a device is cut up: blocks, the unit of addresses, and segments of several, the unit of
 * admission order and of eviction.
 *
 * @param blockBytes a power of two, at least 512
 * @param segmentBytes a power of two, 1 to 64 blocks
 */
public record SegmentGeometry(int blockBytes, int segmentBytes) {
  /** The paper's: pages of 4 KiB in segments of 32 KiB. */
  public static final SegmentGeometry PAPER = new SegmentGeometry(4096, 32768);

  /** Blocks whose states fit in one long. */
  private static final int MAX_BLOCKS = Long.SIZE;

  public SegmentGeometry {
    if (blockBytes < 512 || Integer.bitCount(blockBytes) != 1) {
      throw new IllegalArgumentException(
          "blocks of " + blockBytes + " bytes: not a power of two of at least 512");
    }
    if (Integer.bitCount(segmentBytes) != 1
        || segmentBytes < blockBytes
        || segmentBytes / blockBytes > MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "segments of "
              + segmentBytes
              + " bytes: not a power of two of 1 to 64 blocks of "
              + blockBytes);
    }
  }

  /** Blocks of a segment, 1 to 64, a power of two. */
  public int segmentBlocks() {
    return segmentBytes / blockBytes;
  }
}
