// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where inodes are on an xfs, by its superblock ({@code struct xfs_dsb}). Immutable.
 *
 * @param blockSize in bytes
 * @param groupBlocks blocks of an allocation group
 * @param groupBlocksLog bits of an inode's number that name its block in its group
 * @param inodesLog bits that name an inode in its block
 */
record XfsGeometry(int blockSize, long groupBlocks, int groupBlocksLog, int inodesLog) {
  private static final int MAGIC = 0x58465342; // "XFSB"
  private static final int VERSION = 5;
  private static final int VERSION_MASK = 0xF;

  /** The largest that the format has. */
  private static final int BLOCK_SIZE_MAX = 1 << 16;

  /** Bytes of an inode, at least and at most. */
  private static final int INODE_MIN = 256;

  private static final int INODE_MAX = 2048;

  /** Inodes are made so many at a time. */
  private static final int CHUNK_INODES = 64;

  /**
   * Reads it.
   *
   * @throws IOException also if that is no xfs of which each block of metadata has a checksum:
   *     without, one that is missing would be taken for an empty one
   */
  static XfsGeometry parse(ByteBuffer superblock) throws IOException {
    if (superblock.getInt(0) != MAGIC || (superblock.getShort(100) & VERSION_MASK) != VERSION) {
      throw new IOException("it is no xfs of version 5, whose metadata has checksums");
    }
    XfsGeometry geometry =
        new XfsGeometry(
            superblock.getInt(4),
            Integer.toUnsignedLong(superblock.getInt(84)),
            superblock.get(124),
            superblock.get(123));
    if (geometry.blockSize < XfsImage.SECTOR
        || geometry.blockSize > BLOCK_SIZE_MAX
        || Integer.bitCount(geometry.blockSize) != 1
        || geometry.groupBlocks == 0
        || geometry.groupBlocksLog < 1
        || geometry.groupBlocksLog > Integer.SIZE
        || geometry.groupBlocks > 1L << geometry.groupBlocksLog
        || geometry.inodesLog < 0
        || geometry.inodesLog > Byte.SIZE
        || geometry.inodeSize() < INODE_MIN
        || geometry.inodeSize() > INODE_MAX) {
      throw new IOException("its superblock makes no sense: " + geometry);
    }
    return geometry;
  }

  /**
   * Where the blocks begin that an inode's chunk may be in, of {@link #chunkSectors}. It is not
   * negative: groups are not larger than their inodes' numbers have room for, nor blocks.
   *
   * @param inode below 2^60
   */
  long chunkSector(long inode) {
    long group = inode >>> (groupBlocksLog + inodesLog);
    long block = (inode >>> inodesLog) & ((1L << groupBlocksLog) - 1);
    long first = Math.max(0, block - chunkBlocks());
    return (group * groupBlocks + first) * (blockSize / XfsImage.SECTOR);
  }

  /** Of two chunks, for one need not begin at a multiple of its size. */
  long chunkSectors() {
    return 2L * chunkBlocks() * (blockSize / XfsImage.SECTOR);
  }

  private int inodeSize() {
    return blockSize >> inodesLog;
  }

  private int chunkBlocks() {
    return Math.max(1, CHUNK_INODES >>> inodesLog);
  }
}
