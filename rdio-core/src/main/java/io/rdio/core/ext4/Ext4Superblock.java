// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

/**
 * The superblock, with numbers that were checked against each other: what is computed from them
 * neither overflows nor leaves the file system. Immutable.
 *
 * <p>Source: Documentation/filesystems/ext4/super.rst of Linux.
 */
public final class Ext4Superblock {
  static final int AT = 1024;
  static final int BYTES = 1024;

  private static final int MAGIC = 0xEF53;
  private static final int XFS_MAGIC = 0x58465342; // "XFSB", at the start of the device
  private static final int MAX_LOG_BLOCK_SIZE = 6;
  private static final int CHECKSUM_AT = 0x3FC;
  private static final int CHECKSUM_CRC32C = 1;
  private static final int MIN_INODE_SIZE = 128;
  private static final int MAX_DESCRIPTOR_SIZE = 1024;
  private static final int SMALL_DESCRIPTOR = 32;
  private static final int FLAG_UNSIGNED_HASH = 2;
  private static final int STATE_ERRORS = 2;

  private final ByteBuffer bytes;
  private final Features features;
  private final int blockSize;
  private final long blockCount;
  private final MetadataChecksums checksums;

  private Ext4Superblock(ByteBuffer bytes) throws Ext4Exception {
    this.bytes = bytes;
    this.features = new Features(bytes.getInt(0x5C), bytes.getInt(0x60), bytes.getInt(0x64));
    int magic = magic(bytes);
    require(magic == MAGIC, "this is no ext4: the magic number is 0x" + Integer.toHexString(magic));
    requireChecksum();
    features.requireReadable();
    int logBlockSize = bytes.getInt(0x18);
    require(logBlockSize >= 0 && logBlockSize <= MAX_LOG_BLOCK_SIZE, "block size");
    this.blockSize = 1024 << logBlockSize;
    long high = features.has(Feature.BIT64) ? (long) bytes.getInt(0x150) << 32 : 0;
    this.blockCount = high | unsigned(0x4);
    requireGroups();
    requireInodes();
    require(descriptorsFit(), "group descriptors");
    this.checksums = MetadataChecksums.of(features, uuidBytes(), bytes.getInt(0x270));
  }

  /**
   * Reads the superblock of a device.
   *
   * @throws Ext4Exception XFS; DAMAGED also where there is something else, UNSUPPORTED by a
   *     feature, IO
   */
  static Ext4Superblock read(AlignedReader reader) throws Ext4Exception {
    if (reader.sizeBytes() < AT + BYTES) {
      throw Ext4Exception.damaged(0, "the device is too small for a superblock");
    }
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    reader.read(AT, bytes);
    if (magic(bytes.flip().order(ByteOrder.LITTLE_ENDIAN)) != MAGIC && hasXfs(reader)) {
      throw Ext4Exception.xfs();
    }
    Ext4Superblock superblock = parse(bytes);
    superblock.requireWithin(reader);
    return superblock;
  }

  /** Requires that the device is as large as the file system. */
  void requireWithin(AlignedReader reader) throws Ext4Exception {
    require(
        blockCount <= reader.sizeBytes() / blockSize,
        "it has " + blockCount + " blocks and the device is smaller");
  }

  /**
   * The superblock as the journal knows it, or the device now. It may have more blocks than these:
   * a file system grows while it is in use.
   */
  static Ext4Superblock read(MetadataBlocks blocks) throws Ext4Exception {
    ByteBuffer block = blocks.block(AT / blocks.blockSize());
    Ext4Superblock superblock = parse(block.slice(AT % blocks.blockSize(), BYTES));
    superblock.require(superblock.blockSize == blocks.blockSize(), "its block size has changed");
    return superblock;
  }

  private static int magic(ByteBuffer bytes) {
    return bytes.getShort(0x38) & 0xFFFF;
  }

  private static boolean hasXfs(AlignedReader reader) throws Ext4Exception {
    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
    reader.read(0, magic);
    return magic.getInt(0) == XFS_MAGIC;
  }

  private static Ext4Superblock parse(ByteBuffer bytes) throws Ext4Exception {
    return new Ext4Superblock(bytes.order(ByteOrder.LITTLE_ENDIAN));
  }

  private void requireChecksum() throws Ext4Exception {
    if (features.has(Feature.METADATA_CSUM)) {
      require(bytes.get(0x175) == CHECKSUM_CRC32C, "checksum type");
      int checksum = Crc32c.extend(Crc32c.START, bytes.slice(0, CHECKSUM_AT));
      require(checksum == bytes.getInt(CHECKSUM_AT), "checksum");
    }
  }

  private void requireGroups() throws Ext4Exception {
    require(blockCount > 0 && blockCount <= Long.MAX_VALUE / blockSize, "block count");
    require(firstDataBlock() < blockCount && firstDataBlock() <= 1, "first data block");
    long clusterSize = blockSize;
    if (features.has(Feature.BIGALLOC)) {
      int log = bytes.getInt(0x1C);
      require(log >= bytes.getInt(0x18) && log <= Integer.SIZE - 12, "cluster size");
      clusterSize = 1024L << log;
    }
    long maxBlocks = (long) blockSize * Byte.SIZE * (clusterSize / blockSize);
    require(blocksPerGroup() > 0 && blocksPerGroup() <= maxBlocks, "blocks per group");
    require(groupCount() <= 1L << Integer.SIZE, "number of groups");
  }

  private void requireInodes() throws Ext4Exception {
    int inodeSize = inodeSize();
    require(
        inodeSize >= MIN_INODE_SIZE && inodeSize <= blockSize && Integer.bitCount(inodeSize) == 1,
        "inode size");
    long perGroup = inodesPerGroup();
    require(perGroup > 0 && perGroup <= (long) blockSize * Byte.SIZE, "inodes per group");
    require(inodeCount() <= groupCount() * perGroup, "inode count");
    int size = descriptorSize();
    require(
        size >= SMALL_DESCRIPTOR && size <= MAX_DESCRIPTOR_SIZE && Integer.bitCount(size) == 1,
        "size of group descriptors");
    require(size > SMALL_DESCRIPTOR || !features.has(Feature.BIT64), "size of group descriptors");
  }

  private boolean descriptorsFit() {
    long blocks = (groupCount() - 1) / descriptorsPerBlock() + 1;
    return features.has(Feature.META_BG) ? firstMetaGroup() <= blocks : 2 + blocks <= blockCount;
  }

  private void require(boolean holds, String what) throws Ext4Exception {
    if (!holds) {
      throw damaged("superblock: " + what);
    }
  }

  private Ext4Exception damaged(String what) {
    return Ext4Exception.damaged(blockSize == 1024 ? 1 : 0, what);
  }

  public Features features() {
    return features;
  }

  public UUID uuid() {
    ByteBuffer raw = uuidBytes();
    return new UUID(raw.getLong(0), raw.getLong(Long.BYTES));
  }

  private ByteBuffer uuidBytes() {
    return bytes.slice(0x68, 16);
  }

  public int blockSize() {
    return blockSize;
  }

  public long blockCount() {
    return blockCount;
  }

  public long inodeCount() {
    return unsigned(0x0);
  }

  long firstDataBlock() {
    return unsigned(0x14);
  }

  long blocksPerGroup() {
    return unsigned(0x20);
  }

  long inodesPerGroup() {
    return unsigned(0x28);
  }

  long groupCount() {
    return (blockCount - firstDataBlock() + blocksPerGroup() - 1) / blocksPerGroup();
  }

  /** Bytes of an inode's record. */
  int inodeSize() {
    boolean original = bytes.getInt(0x4C) == 0;
    return original ? MIN_INODE_SIZE : bytes.getShort(0x58) & 0xFFFF;
  }

  int descriptorSize() {
    return features.has(Feature.BIT64) ? bytes.getShort(0xFE) & 0xFFFF : SMALL_DESCRIPTOR;
  }

  int descriptorsPerBlock() {
    return blockSize / descriptorSize();
  }

  /** The first block of descriptors that lies in its own groups, with meta_bg. */
  long firstMetaGroup() {
    return unsigned(0x104);
  }

  boolean hasBackup(long group) {
    if (group == 0) {
      return true;
    }
    if (features.has(Feature.SPARSE_SUPER2)) {
      return group == unsigned(0x24C) || group == unsigned(0x250);
    }
    return group == 1
        || !features.has(Feature.SPARSE_SUPER)
        || isPower(group, 3)
        || isPower(group, 5)
        || isPower(group, 7);
  }

  private static boolean isPower(long value, int base) {
    long power = base;
    while (power < value) {
      power *= base;
    }
    return power == value;
  }

  /** Inodes that systems other than Linux made have no checksums. */
  boolean madeByLinux() {
    return bytes.getInt(0x48) == 0;
  }

  /** The journal's inode; 0 where it is elsewhere or there is none. */
  public long journalInode() {
    return unsigned(0xE0);
  }

  /** When it was mounted last. */
  public MountStamp mount() {
    return new MountStamp(
        seconds(0x2C, 0x275), bytes.getShort(0x34) & 0xFFFF, seconds(0x40, 0x277));
  }

  /** Errors that the kernel has noted since the last check. */
  public boolean hasErrors() {
    return bytes.getInt(0x194) != 0 || (bytes.getShort(0x3A) & STATE_ERRORS) != 0;
  }

  // The bits that come after 2106 are elsewhere.
  private long seconds(int low, int high) {
    return unsigned(low) | (bytes.get(high) & 0xFFL) << Integer.SIZE;
  }

  /** One of four numbers that directory hashes start from; all zero for the standard ones. */
  int hashSeed(int index) {
    return bytes.getInt(0xEC + Integer.BYTES * index);
  }

  boolean unsignedHash() {
    return (bytes.getInt(0x160) & FLAG_UNSIGNED_HASH) != 0;
  }

  MetadataChecksums checksums() {
    return checksums;
  }

  private long unsigned(int at) {
    return Integer.toUnsignedLong(bytes.getInt(at));
  }
}
