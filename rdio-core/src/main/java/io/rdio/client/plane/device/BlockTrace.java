// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.MetadataBlocks;
import io.rdio.core.ext4.journal.Journal;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Blocks by way of others, and which of them were asked for. For one thread at a time. */
final class BlockTrace implements MetadataBlocks {
  /**
   * Blocks that one question of a reader may ask for, whom nobody can ask to stop; a directory of
   * 64 MiB has as many of 4 KiB.
   */
  static final int MAX_BLOCKS = 1 << 14;

  private final MetadataBlocks blocks;
  private final int most;
  private long[] numbers = new long[16];
  private int count;

  /** With room for {@link #MAX_BLOCKS}. */
  BlockTrace(MetadataBlocks blocks) {
    this(blocks, MAX_BLOCKS);
  }

  /**
   * @param most blocks that may be asked for
   */
  BlockTrace(MetadataBlocks blocks, int most) {
    this.blocks = blocks;
    this.most = most;
  }

  @Override
  public int blockSize() {
    return blocks.blockSize();
  }

  @Override
  public long blockCount() {
    return blocks.blockCount();
  }

  @Override
  public ByteBuffer block(long number) throws Ext4Exception {
    if (count >= most) {
      throw Ext4Exception.unsupported("more than " + most + " blocks of metadata");
    }
    add(number);
    return blocks.block(number);
  }

  /** Notes a block that was read some other way. */
  void add(long number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = number;
  }

  /** Whether the journal knows that none of them was written or revoked behind a position. */
  boolean isUntouched(Journal journal, long since) {
    for (int i = 0; i < count; i++) {
      if (!journal.isUntouched(numbers[i], since)) {
        return false;
      }
    }
    return true;
  }

  long[] numbers() {
    return Arrays.copyOf(numbers, count);
  }
}
