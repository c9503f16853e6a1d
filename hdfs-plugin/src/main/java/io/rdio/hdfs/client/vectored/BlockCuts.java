// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.vectored;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;

/** Cuts ranges of a file where its blocks end. */
final class BlockCuts {
  private final List<LocatedBlock> blocks;

  /**
   * @param blocks of the file, in its order
   */
  BlockCuts(List<LocatedBlock> blocks) {
    this.blocks = blocks;
  }

  /** What one block has of a range: {@code count} bytes from {@code offset} of the file on. */
  static final class Cut {
    final int block;
    final long offset;
    final int count;

    Cut(int block, long offset, int count) {
      this.block = block;
      this.offset = offset;
      this.count = count;
    }
  }

  /**
   * The blocks' parts of a range, in the file's order.
   *
   * @return empty where the range is, or some of it is in no block or in one that is not read as a
   *     whole replica, of an erasure-coded file
   */
  List<Cut> of(FileRange range) {
    List<Cut> cuts = new ArrayList<>();
    long next = range.getOffset();
    long end = next + range.getLength();
    for (int i = find(next); next < end; i++) {
      if (i < 0 || i == blocks.size() || !isWhole(blocks.get(i)) || next < start(i)) {
        return new ArrayList<>();
      }
      int count = (int) (Math.min(end, end(i)) - next);
      if (count > 0) {
        cuts.add(new Cut(i, next, count));
        next += count;
      }
    }
    return cuts;
  }

  private static boolean isWhole(LocatedBlock block) {
    return !(block instanceof LocatedStripedBlock) && !block.isCorrupt();
  }

  /** The last block that begins at or before an offset; -1 if there is none. */
  private int find(long offset) {
    int low = 0;
    int high = blocks.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (start(middle) <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  private long start(int block) {
    return blocks.get(block).getStartOffset();
  }

  private long end(int block) {
    return start(block) + blocks.get(block).getBlockSize();
  }
}
