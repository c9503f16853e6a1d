// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;

/**
 * The checksums of one directory's blocks, which start from its inode's: that of a block of entries
 * is in what looks like an unused entry at its end, that of a block of the hash tree is behind the
 * tree's entries.
 */
final class DirectoryChecksums {
  private static final int LEAF_TAIL = 12;
  private static final int LEAF_TAIL_TYPE = 0xDE;
  private static final int TREE_TAIL = 8;

  private final Ext4Superblock superblock;
  private final Inode inode;

  DirectoryChecksums(Ext4Superblock superblock, Inode inode) {
    this.superblock = superblock;
    this.inode = inode;
  }

  /** Refuses a block of entries whose checksum does not fit. */
  void requireLeaf(long number, ByteBuffer block) throws Ext4Exception {
    int tail = block.capacity() - LEAF_TAIL;
    int fixed = LEAF_TAIL | LEAF_TAIL_TYPE << (Short.SIZE + Byte.SIZE);
    require(
        number,
        () ->
            block.getInt(tail) == 0
                && block.getInt(tail + 4) == fixed
                && Crc32c.extend(seed(), block.slice(0, tail)) == block.getInt(tail + 8));
  }

  /** Refuses a block of the hash tree whose checksum does not fit. */
  void requireTree(long number, ByteBuffer block, HashTreeNode node) throws Ext4Exception {
    require(
        number,
        () -> {
          int tail = node.entryAt(node.limit());
          if (tail > block.capacity() - TREE_TAIL) {
            return false;
          }
          int crc = Crc32c.extend(seed(), block.slice(0, node.entryAt(node.count())));
          crc = Crc32c.extend(crc, block.slice(tail, Integer.BYTES));
          return Crc32c.extend(crc, 0) == block.getInt(tail + Integer.BYTES);
        });
  }

  /** Whether a checksum fits, asked only where there are any. */
  private interface Check {
    boolean holds();
  }

  private void require(long number, Check check) throws Ext4Exception {
    if (superblock.checksums().metadata() && !check.holds()) {
      throw Ext4Exception.damaged(number, inode + ": checksum of a directory's block");
    }
  }

  private int seed() {
    return superblock.checksums().seedOf(inode.number(), inode.generation());
  }
}
