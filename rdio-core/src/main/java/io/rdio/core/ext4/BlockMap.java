// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The mapping of files that have no extents, as ext2 and ext3 make them: twelve block numbers in
 * the inode, then one block of numbers, one of such blocks, and one of those. Nothing of it has a
 * checksum.
 *
 * <p>Source: Documentation/filesystems/ext4/blockmap.rst of Linux.
 */
final class BlockMap {
  private static final int DIRECT = 12;
  private static final int LEVELS = 3;

  private final MetadataBlocks blocks;
  private final Inode inode;
  private final ExtentCollector found;
  private final long fileEnd;

  private BlockMap(MetadataBlocks blocks, Inode inode) {
    this.blocks = blocks;
    this.inode = inode;
    this.found = new ExtentCollector(blocks, inode);
    long size = inode.size() / blocks.blockSize() + 1;
    this.fileEnd = Math.min(size, ExtentCollector.MAX_LOGICAL);
  }

  static List<FileExtent> extents(MetadataBlocks blocks, Inode inode) throws Ext4Exception {
    BlockMap map = new BlockMap(blocks, inode);
    ByteBuffer root = inode.root();
    for (int i = 0; i < DIRECT; i++) {
      map.add(inode.block(), root.getInt(i * Integer.BYTES), i);
    }
    long logical = DIRECT;
    long covered = blocks.blockSize() / Integer.BYTES;
    for (int level = 1; level <= LEVELS; level++) {
      long number = Integer.toUnsignedLong(root.getInt((DIRECT + level - 1) * Integer.BYTES));
      map.walk(number, level, logical);
      logical += covered;
      covered *= blocks.blockSize() / Integer.BYTES;
    }
    return map.found.extents();
  }

  /** Takes in what a block of numbers refers to; number 0 is a hole. */
  private void walk(long number, int level, long from) throws Ext4Exception {
    if (number == 0 || from >= fileEnd) {
      return;
    }
    found.countMappingBlock();
    ByteBuffer numbers = blocks.block(number);
    int count = numbers.capacity() / Integer.BYTES;
    long step = 1;
    for (int i = 1; i < level; i++) {
      step *= count;
    }
    for (int i = 0; i < count; i++) {
      int entry = numbers.getInt(i * Integer.BYTES);
      if (level == 1) {
        add(number, entry, from + i);
      } else {
        walk(Integer.toUnsignedLong(entry), level - 1, from + i * step);
      }
    }
  }

  private void add(long at, int entry, long logical) throws Ext4Exception {
    if (entry == 0) {
      return;
    }
    if (logical >= ExtentCollector.MAX_LOGICAL) {
      throw Ext4Exception.damaged(at, inode + ": block " + logical + " of a file");
    }
    found.addBlock(at, logical, Integer.toUnsignedLong(entry));
  }
}
