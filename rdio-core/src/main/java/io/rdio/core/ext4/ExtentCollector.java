// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.util.ArrayList;
import java.util.List;

/**
 * Takes a file's extents in order and refuses what no file has: extents that overlap, leave the
 * file system, or are too many. It also counts the blocks that the mapping itself takes, so that a
 * mapping which refers to the same block again and again comes to an end.
 */
final class ExtentCollector {
  /** A file of 1 GiB without two adjoining blocks of 4 KiB has that many. */
  static final int MAX_EXTENTS = 1 << 18;

  private static final int MAX_MAPPING_BLOCKS = 1 << 14;

  /** Logical block numbers have 32 bits. */
  static final long MAX_LOGICAL = 1L << 32;

  private final MetadataBlocks blocks;
  private final Inode inode;
  private final List<FileExtent> extents = new ArrayList<>();
  private int mappingBlocks;
  private long end;

  ExtentCollector(MetadataBlocks blocks, Inode inode) {
    this.blocks = blocks;
    this.inode = inode;
  }

  List<FileExtent> extents() {
    return extents;
  }

  /** Counts a block of the mapping that is going to be read. */
  void countMappingBlock() throws Ext4Exception {
    if (++mappingBlocks > MAX_MAPPING_BLOCKS) {
      throw Ext4Exception.unsupported(
          inode + " has a mapping of more than " + MAX_MAPPING_BLOCKS + " blocks");
    }
  }

  /**
   * @param at the block that the extent was found in
   */
  void add(long at, FileExtent extent) throws Ext4Exception {
    if (extent.logical() < end || extent.length() < 1 || extent.end() > MAX_LOGICAL) {
      throw Ext4Exception.damaged(at, inode + ": an extent out of order, " + extent);
    }
    if (extent.physical() < 1 || extent.physical() > blocks.blockCount() - extent.length()) {
      throw Ext4Exception.damaged(at, inode + ": an extent beyond the file system, " + extent);
    }
    if (extents.size() == MAX_EXTENTS) {
      throw Ext4Exception.unsupported(inode + " has more than " + MAX_EXTENTS + " extents");
    }
    extents.add(extent);
    end = extent.end();
  }

  /** Adds one block, as a part of the last extent where it continues that. */
  void addBlock(long at, long logical, long physical) throws Ext4Exception {
    FileExtent last = extents.isEmpty() ? null : extents.get(extents.size() - 1);
    boolean adjoins =
        last != null && last.end() == logical && last.physical() + last.length() == physical;
    if (last == null || !adjoins) {
      add(at, new FileExtent(logical, physical, 1, false));
      return;
    }
    extents.remove(extents.size() - 1);
    end = last.logical();
    add(at, new FileExtent(last.logical(), last.physical(), last.length() + 1, false));
  }
}
