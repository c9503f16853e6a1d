// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * What the first bytes of a device say about the file system on it.
 *
 * @param fsType {@code "ext4"} (which stands for ext2 and ext3 too) or {@code "xfs"}
 * @param sizeBytes of the file system, at least 1; the device is as large or larger
 */
public record Superblock(String fsType, UUID uuid, long sizeBytes) {
  /** Bytes from the start of a device that {@link #parse} looks at, at most. */
  public static final int PROBE_BYTES = 64 * 1024;

  /**
   * Reads a superblock. Never throws, whatever the bytes.
   *
   * @param start of the device, from index 0 to the buffer's limit; {@link #PROBE_BYTES} are
   *     enough. The buffer's position and order are left alone.
   * @return empty where there is neither an ext4 nor an xfs superblock, or one whose checksum or
   *     numbers are wrong
   */
  public static Optional<Superblock> parse(ByteBuffer start) {
    ByteBuffer bytes = start.duplicate();
    bytes.position(0);
    Optional<Superblock> xfs = Xfs.parse(bytes.slice().order(ByteOrder.BIG_ENDIAN));
    return xfs.isPresent() ? xfs : Ext4.parse(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
  }

  private static Optional<Superblock> of(String fsType, UUID uuid, long blocks, long blockBytes) {
    if (blocks <= 0 || blocks > Long.MAX_VALUE / blockBytes) {
      return Optional.empty();
    }
    return Optional.of(new Superblock(fsType, uuid, blocks * blockBytes));
  }

  private static UUID uuid(ByteBuffer bytes, int at) {
    ByteBuffer raw = bytes.slice(at, 16);
    return new UUID(raw.getLong(0), raw.getLong(8));
  }

  /** struct ext4_super_block of fs/ext4/ext4.h. */
  private static final class Ext4 {
    static final int AT = 1024;
    static final int BYTES = 1024;
    static final int MAGIC = 0xEF53;
    static final int MAX_LOG_BLOCK_SIZE = 6;
    static final int INCOMPAT_64BIT = 0x80;
    static final int RO_COMPAT_METADATA_CSUM = 0x400;
    static final int CHECKSUM_AT = 0x3FC;

    static Optional<Superblock> parse(ByteBuffer device) {
      if (device.limit() < AT + BYTES) {
        return Optional.empty();
      }
      ByteBuffer sb = device.slice(AT, BYTES).order(ByteOrder.LITTLE_ENDIAN);
      int logBlockSize = sb.getInt(0x18);
      if ((sb.getShort(0x38) & 0xFFFF) != MAGIC
          || logBlockSize < 0
          || logBlockSize > MAX_LOG_BLOCK_SIZE
          || !checksumHolds(sb)) {
        return Optional.empty();
      }
      long blocks = Integer.toUnsignedLong(sb.getInt(0x4));
      if ((sb.getInt(0x60) & INCOMPAT_64BIT) != 0) {
        blocks |= (long) sb.getInt(0x150) << 32;
      }
      return of("ext4", Superblock.uuid(sb, 0x68), blocks, 1024L << logBlockSize);
    }

    // The kernel stores this CRC without the final inversion that java.util.zip applies.
    private static boolean checksumHolds(ByteBuffer sb) {
      if ((sb.getInt(0x64) & RO_COMPAT_METADATA_CSUM) == 0) {
        return true;
      }
      CRC32C crc = new CRC32C();
      crc.update(sb.slice(0, CHECKSUM_AT));
      return ~(int) crc.getValue() == sb.getInt(CHECKSUM_AT);
    }
  }

  /** struct xfs_dsb of fs/xfs/libxfs/xfs_format.h. */
  private static final class Xfs {
    static final int MAGIC = 0x58465342; // "XFSB"
    static final int BYTES = 512;
    static final int MIN_BLOCK_SIZE = 512;
    static final int MAX_BLOCK_SIZE = 65536;
    static final int MAX_SECTOR_SIZE = 32768;
    static final int VERSION_MASK = 0xF;
    static final int VERSION_4 = 4;
    static final int VERSION_5 = 5;
    static final int CHECKSUM_AT = 224;

    static Optional<Superblock> parse(ByteBuffer sb) {
      if (sb.limit() < BYTES || sb.getInt(0) != MAGIC) {
        return Optional.empty();
      }
      int blockSize = sb.getInt(4);
      int version = sb.getShort(100) & VERSION_MASK;
      if (!isPowerOfTwo(blockSize, MIN_BLOCK_SIZE, MAX_BLOCK_SIZE)
          || (version != VERSION_4 && !(version == VERSION_5 && checksumHolds(sb)))) {
        return Optional.empty();
      }
      return of("xfs", Superblock.uuid(sb, 32), sb.getLong(8), blockSize);
    }

    // Over one sector, with the checksum's own bytes taken as zero; stored little-endian.
    private static boolean checksumHolds(ByteBuffer sb) {
      int sectorSize = sb.getShort(102) & 0xFFFF;
      if (!isPowerOfTwo(sectorSize, BYTES, MAX_SECTOR_SIZE) || sectorSize > sb.limit()) {
        return false;
      }
      CRC32C crc = new CRC32C();
      crc.update(sb.slice(0, CHECKSUM_AT));
      crc.update(new byte[Integer.BYTES]);
      int behind = CHECKSUM_AT + Integer.BYTES;
      crc.update(sb.slice(behind, sectorSize - behind));
      return (int) crc.getValue() == Integer.reverseBytes(sb.getInt(CHECKSUM_AT));
    }

    private static boolean isPowerOfTwo(int value, int min, int max) {
      return value >= min && value <= max && Integer.bitCount(value) == 1;
    }
  }
}
