// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where each group's inodes lie. Source: Documentation/filesystems/ext4/group_descr.rst of Linux.
 */
final class GroupDescriptors {
  private static final int CHECKSUM_AT = 0x1E;
  private static final int CHECKSUM_END = CHECKSUM_AT + Short.BYTES;
  private static final int INODE_TABLE_LOW = 0x8;
  private static final int INODE_TABLE_HIGH = 0x28;

  private final Ext4Superblock superblock;
  private final MetadataBlocks blocks;

  GroupDescriptors(Ext4Superblock superblock, MetadataBlocks blocks) {
    this.superblock = superblock;
    this.blocks = blocks;
  }

  /**
   * The first block of a group's inode table; all of the table is inside the file system.
   *
   * @param group below {@link Ext4Superblock#groupCount()}
   */
  long inodeTable(long group) throws Ext4Exception {
    int size = superblock.descriptorSize();
    int perBlock = superblock.descriptorsPerBlock();
    long block = blockOf(group / perBlock);
    ByteBuffer descriptor =
        blocks
            .block(block)
            .slice((int) (group % perBlock) * size, size)
            .order(ByteOrder.LITTLE_ENDIAN);
    if (!checksumHolds(group, descriptor)) {
      throw Ext4Exception.damaged(block, "descriptor of group " + group + ": checksum");
    }
    long table = Integer.toUnsignedLong(descriptor.getInt(INODE_TABLE_LOW));
    if (superblock.features().has(Feature.BIT64)) {
      table |= (long) descriptor.getInt(INODE_TABLE_HIGH) << Integer.SIZE;
    }
    int inodesPerBlock = superblock.blockSize() / superblock.inodeSize();
    long length = (superblock.inodesPerGroup() + inodesPerBlock - 1) / inodesPerBlock;
    if (table <= superblock.firstDataBlock() || table > superblock.blockCount() - length) {
      throw Ext4Exception.damaged(
          block, "descriptor of group " + group + ": its inode table is at block " + table);
    }
    return table;
  }

  /**
   * Where a block of descriptors lies: all behind the superblock, or with meta_bg each in the first
   * group that it describes, behind that group's copy of the superblock if it has one.
   */
  private long blockOf(long number) {
    boolean ofItsGroups =
        superblock.features().has(Feature.META_BG) && number >= superblock.firstMetaGroup();
    boolean smallBlocks = superblock.blockSize() == Ext4Superblock.BYTES;
    if (!ofItsGroups) {
      return (smallBlocks ? 2 : 1) + number;
    }
    long group = number * superblock.descriptorsPerBlock();
    long first = superblock.firstDataBlock() + group * superblock.blocksPerGroup();
    if (smallBlocks && group == 0) {
      return 2;
    }
    return first + (superblock.hasBackup(group) ? 1 : 0);
  }

  // Its own two bytes count as zero for CRC-32C, and not at all for CRC-16.
  private boolean checksumHolds(long group, ByteBuffer descriptor) {
    MetadataChecksums checksums = superblock.checksums();
    int stored = descriptor.getShort(CHECKSUM_AT) & 0xFFFF;
    ByteBuffer before = descriptor.slice(0, CHECKSUM_AT);
    ByteBuffer behind = descriptor.slice(CHECKSUM_END, descriptor.limit() - CHECKSUM_END);
    if (checksums.metadata()) {
      int crc = Crc32c.extend(checksums.seed(), (int) group);
      crc = Crc32c.extend(crc, before);
      crc = Crc32c.extend(crc, ByteBuffer.allocate(Short.BYTES));
      return (Crc32c.extend(crc, behind) & 0xFFFF) == stored;
    }
    if (checksums.descriptors()) {
      ByteBuffer number = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      int crc = Crc16.extend(checksums.uuidCrc16(), number.putInt(0, (int) group));
      crc = Crc16.extend(crc, before);
      return Crc16.extend(crc, behind) == stored;
    }
    return true;
  }
}
