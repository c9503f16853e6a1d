// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/**
 * An inode as it was read, its checksum verified where there is one. Immutable.
 *
 * <p>Source: Documentation/filesystems/ext4/inodes.rst of Linux.
 */
public final class Inode {
  /** Bytes of the root of the mapping from a file's blocks to the device's. */
  static final int ROOT_BYTES = 60;

  static final int FLAG_ENCRYPT = 0x800;
  static final int FLAG_JOURNAL_DATA = 0x4000;
  static final int FLAG_INDEX = 0x1000;
  static final int FLAG_EXTENTS = 0x80000;
  static final int FLAG_VERITY = 0x100000;
  static final int FLAG_INLINE_DATA = 0x10000000;
  static final int FLAG_CASEFOLD = 0x40000000;

  private static final int ROOT_AT = 0x28;
  private static final int SIZE_HIGH_AT = 0x6C;
  private static final int ACCESSED_AT = 0x8;
  private static final int SMALL_RECORD = 0x80;
  private static final int CHECKSUM_LOW_AT = 0x7C;
  private static final int CHECKSUM_HIGH_AT = 0x82;
  private static final int ACCESSED_EXTRA_AT = 0x8C;
  private static final int CREATED_AT = 0x90;
  private static final int CREATED_EXTRA_AT = 0x94;

  private final long number;
  private final long block;
  private final ByteBuffer record;
  private final long size;

  /**
   * @param block of the inode table that it lies in
   * @param record little-endian, of at least 128 bytes
   * @param largeDirectories whether sizes of directories have 64 bits too
   */
  Inode(long number, long block, ByteBuffer record, boolean largeDirectories) {
    this.number = number;
    this.block = block;
    this.record = record;
    boolean high = type() == InodeType.FILE || (largeDirectories && type() == InodeType.DIRECTORY);
    this.size =
        Integer.toUnsignedLong(record.getInt(0x4))
            | (high ? (long) record.getInt(SIZE_HIGH_AT) << Integer.SIZE : 0);
  }

  private Inode(long number, long block, ByteBuffer record, long size) {
    this.number = number;
    this.block = block;
    this.record = record;
    this.size = size;
  }

  public long number() {
    return number;
  }

  /** The block of the file system that it was read from. */
  public long block() {
    return block;
  }

  public InodeType type() {
    return InodeType.ofMode(mode());
  }

  /** Type and permissions, as in stat(2). */
  public int mode() {
    return record.getShort(0x0) & 0xFFFF;
  }

  /** Bytes; not negative, and not more than 2^32 blocks. */
  public long size() {
    return size;
  }

  public int links() {
    return record.getShort(0x1A) & 0xFFFF;
  }

  public int uid() {
    return (record.getShort(0x2) & 0xFFFF) | (record.getShort(0x78) & 0xFFFF) << Short.SIZE;
  }

  public int gid() {
    return (record.getShort(0x18) & 0xFFFF) | (record.getShort(0x7A) & 0xFFFF) << Short.SIZE;
  }

  /** Another one for each file that had this inode's number. */
  public int generation() {
    return record.getInt(0x64);
  }

  /** The same, with memory of its own: one that was read holds on to the block that it was in. */
  public Inode detached() {
    ByteBuffer copy = ByteBuffer.allocate(record.limit()).order(record.order());
    return new Inode(number, block, copy.put(0, record, 0, record.limit()), size);
  }

  /**
   * Whether another record of the same inode says the same of the file: all but when it was read
   * last, and the checksum, which has that in it.
   */
  public boolean hasSameFile(Inode other) {
    if (number != other.number || record.limit() != other.record.limit()) {
      return false;
    }
    return comparable(record).equals(comparable(other.record));
  }

  private static ByteBuffer comparable(ByteBuffer record) {
    ByteBuffer copy = ByteBuffer.allocate(record.limit()).order(record.order());
    copy.put(0, record, 0, record.limit());
    copy.putInt(ACCESSED_AT, 0).putShort(CHECKSUM_LOW_AT, (short) 0);
    if (has(record, CHECKSUM_HIGH_AT + Short.BYTES)) {
      copy.putShort(CHECKSUM_HIGH_AT, (short) 0);
    }
    if (has(record, ACCESSED_EXTRA_AT + Integer.BYTES)) {
      copy.putInt(ACCESSED_EXTRA_AT, 0);
    }
    return copy;
  }

  private static boolean has(ByteBuffer record, int end) {
    return record.limit() >= end
        && record.limit() > SMALL_RECORD
        && SMALL_RECORD + (record.getShort(SMALL_RECORD) & 0xFFFF) >= end;
  }

  /**
   * Seconds since 1970 when the file was made, which nothing but that sets; empty where inodes have
   * no room for it.
   */
  public OptionalLong createdSeconds() {
    if (!has(record, CREATED_EXTRA_AT + Integer.BYTES)) {
      return OptionalLong.empty();
    }
    long later = (record.getInt(CREATED_EXTRA_AT) & 3L) << Integer.SIZE;
    return OptionalLong.of(record.getInt(CREATED_AT) + later);
  }

  public int flags() {
    return record.getInt(0x20);
  }

  /** Whether its bytes on the device are, or may soon be, other ones than the file's. */
  public boolean isDataElsewhere() {
    return has(FLAG_ENCRYPT) || has(FLAG_VERITY) || has(FLAG_INLINE_DATA) || has(FLAG_JOURNAL_DATA);
  }

  boolean has(int flag) {
    return (flags() & flag) != 0;
  }

  /** The root of its extent tree, or its 15 block numbers. */
  ByteBuffer root() {
    return record.slice(ROOT_AT, ROOT_BYTES).order(record.order());
  }

  @Override
  public String toString() {
    return "inode " + number;
  }
}
