// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Inodes by their numbers. Source: Documentation/filesystems/ext4/inodes.rst of Linux. */
final class InodeTable {
  private static final int SMALL_RECORD = 128;
  private static final int CHECKSUM_LOW_AT = 0x7C;
  private static final int EXTRA_SIZE_AT = 0x80;
  private static final int CHECKSUM_HIGH_AT = 0x82;
  private static final int GENERATION_AT = 0x64;

  private final Ext4Superblock superblock;
  private final MetadataBlocks blocks;
  private final GroupDescriptors groups;

  InodeTable(Ext4Superblock superblock, MetadataBlocks blocks) {
    this.superblock = superblock;
    this.blocks = blocks;
    this.groups = new GroupDescriptors(superblock, blocks);
  }

  /**
   * An inode by its number.
   *
   * @throws Ext4Exception NOT_FOUND if there is no such number or the inode is free
   */
  Inode inode(long number) throws Ext4Exception {
    if (number < 1 || number > superblock.inodeCount()) {
      throw Ext4Exception.notFound("inode " + number + " of " + superblock.inodeCount());
    }
    long group = (number - 1) / superblock.inodesPerGroup();
    long index = (number - 1) % superblock.inodesPerGroup();
    int size = superblock.inodeSize();
    int perBlock = superblock.blockSize() / size;
    long block = groups.inodeTable(group) + index / perBlock;
    ByteBuffer record =
        blocks
            .block(block)
            .slice((int) (index % perBlock) * size, size)
            .order(ByteOrder.LITTLE_ENDIAN);
    if (record.equals(ByteBuffer.allocate(size))) {
      // Inodes that were never used have no checksum either.
      throw Ext4Exception.notFound("inode " + number + " is free");
    }
    int extra = extraSize(record);
    if (extra < 0 || extra > size - SMALL_RECORD || extra % Integer.BYTES != 0) {
      throw Ext4Exception.damaged(block, "inode " + number + ": extra size " + extra);
    }
    if (hasChecksum() && !checksumHolds(number, record)) {
      throw Ext4Exception.damaged(block, "inode " + number + ": checksum");
    }
    boolean largeDirectories = superblock.features().has(Feature.LARGE_DIR);
    return checked(new Inode(number, block, record, largeDirectories));
  }

  private Inode checked(Inode inode) throws Ext4Exception {
    if (inode.links() == 0) {
      throw Ext4Exception.notFound(inode + " is free");
    }
    long mostBytes = ExtentCollector.MAX_LOGICAL * superblock.blockSize();
    if (inode.size() < 0 || inode.size() > mostBytes) {
      throw Ext4Exception.damaged(inode.block(), inode + ": size " + inode.size());
    }
    return inode;
  }

  private boolean hasChecksum() {
    return superblock.checksums().metadata() && superblock.madeByLinux();
  }

  // The checksum's own halves count as zero. The upper one is there if the record has room for it.
  private boolean checksumHolds(long number, ByteBuffer record) {
    int seed = superblock.checksums().seedOf(number, record.getInt(GENERATION_AT));
    boolean hasHigh = extraSize(record) >= CHECKSUM_HIGH_AT + Short.BYTES - SMALL_RECORD;
    ByteBuffer copy = ByteBuffer.allocate(record.capacity()).order(ByteOrder.LITTLE_ENDIAN);
    copy.put(record.duplicate()).flip();
    copy.putShort(CHECKSUM_LOW_AT, (short) 0);
    int stored = record.getShort(CHECKSUM_LOW_AT) & 0xFFFF;
    int mask = 0xFFFF;
    if (hasHigh) {
      copy.putShort(CHECKSUM_HIGH_AT, (short) 0);
      stored |= record.getShort(CHECKSUM_HIGH_AT) << Short.SIZE;
      mask = -1;
    }
    return (Crc32c.extend(seed, copy) & mask) == stored;
  }

  private static int extraSize(ByteBuffer record) {
    return record.capacity() > SMALL_RECORD ? record.getShort(EXTRA_SIZE_AT) & 0xFFFF : 0;
  }
}
