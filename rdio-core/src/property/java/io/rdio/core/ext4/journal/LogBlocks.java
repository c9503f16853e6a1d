// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Crc32c;
import java.nio.ByteBuffer;
import java.util.List;

/** Makes a log's own blocks, with checksums of version 3 and block numbers of 64 bits. */
final class LogBlocks {
  static final int BYTES = 1024;

  private static final int INCOMPAT = 0x13; // revoke, 64bit, checksums of version 3
  private static final byte CRC32C = 4;
  private static final int UUID_AT = 0x30;
  private static final int UUID_BYTES = 16;
  private static final int SUPERBLOCK_CHECKSUM_AT = 0xFC;
  private static final int COMMIT_CHECKSUM_AT = 16;
  private static final int COMMIT_SECONDS_AT = 48;
  private static final int REVOKE_HEADER = 16;
  private static final int FLAG_ESCAPED = 1;
  private static final int FLAG_SAME_UUID = 2;
  private static final int FLAG_LAST = 8;

  private final ByteBuffer superblock = ByteBuffer.allocate(BYTES);
  private final int seed;

  /**
   * Goes by a journal's superblock as mke2fs made it.
   *
   * @param end of the log's room
   */
  LogBlocks(ByteBuffer made, int end) {
    superblock.put(made.duplicate()).clear();
    superblock.putInt(0x10, end).putInt(0x28, INCOMPAT).put(0x50, CRC32C);
    seed = Crc32c.extend(Crc32c.START, superblock.slice(UUID_AT, UUID_BYTES));
  }

  /**
   * A block as the log has it.
   *
   * @param escaped whether it starts like the log's own, for which it has zeros
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Copied(long home, byte[] bytes, boolean escaped) {
    static Copied of(long home, byte[] content) {
      byte[] bytes = content.clone();
      ByteBuffer block = ByteBuffer.wrap(bytes);
      boolean escaped = block.getInt(0) == LogFormat.MAGIC;
      if (escaped) {
        block.putInt(0, 0);
      }
      return new Copied(home, bytes, escaped);
    }
  }

  byte[] superblock(long start, int sequence) {
    ByteBuffer block = ByteBuffer.wrap(superblock.array().clone());
    block.putInt(0x18, sequence).putInt(0x1C, (int) start);
    return signed(block, SUPERBLOCK_CHECKSUM_AT, Crc32c.START);
  }

  byte[] descriptor(int sequence, List<Copied> copies) {
    ByteBuffer block = begun(LogFormat.DESCRIPTOR, sequence);
    int seedOfCopies = Crc32c.extend(seed, Integer.reverseBytes(sequence));
    for (int i = 0; i < copies.size(); i++) {
      Copied copy = copies.get(i);
      int flags =
          (copy.escaped() ? FLAG_ESCAPED : 0)
              | (i > 0 ? FLAG_SAME_UUID : 0)
              | (i + 1 == copies.size() ? FLAG_LAST : 0);
      block.putInt((int) copy.home()).putInt(flags).putInt((int) (copy.home() >>> Integer.SIZE));
      block.putInt(Crc32c.extend(seedOfCopies, ByteBuffer.wrap(copy.bytes())));
      if (i == 0) {
        block.position(block.position() + UUID_BYTES);
      }
    }
    return signed(block.clear(), BYTES - Integer.BYTES, seed);
  }

  byte[] revoke(int sequence, List<Long> homes) {
    ByteBuffer block = begun(LogFormat.REVOKE, sequence);
    block.putInt(REVOKE_HEADER + Long.BYTES * homes.size());
    homes.forEach(block::putLong);
    return signed(block.clear(), BYTES - Integer.BYTES, seed);
  }

  byte[] commit(int sequence, long seconds) {
    ByteBuffer block = begun(LogFormat.COMMIT, sequence).clear();
    block.putLong(COMMIT_SECONDS_AT, seconds);
    return signed(block, COMMIT_CHECKSUM_AT, seed);
  }

  private static ByteBuffer begun(int type, int sequence) {
    return ByteBuffer.allocate(BYTES).putInt(LogFormat.MAGIC).putInt(type).putInt(sequence);
  }

  /** A block, from its first byte on, with a checksum in which that itself counts as zero. */
  private static byte[] signed(ByteBuffer block, int at, int from) {
    block.putInt(at, 0);
    block.putInt(at, Crc32c.extend(from, block));
    byte[] bytes = new byte[block.remaining()];
    block.get(bytes);
    return bytes;
  }
}
