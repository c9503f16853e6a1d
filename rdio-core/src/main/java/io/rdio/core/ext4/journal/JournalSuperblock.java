// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Crc32c;
import io.rdio.core.ext4.Ext4Exception;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What the journal's first block says: its form, and where the log starts that has not been
 * checkpointed. Source: Documentation/filesystems/ext4/journal.rst of Linux.
 *
 * @param first block of the log's room
 * @param end of the log's room: behind the last block there is the first one again
 * @param sequence of the transaction at the start
 * @param start of the log; 0 if it is empty
 * @param format of blocks
 */
record JournalSuperblock(long first, long end, int sequence, long start, LogFormat format) {
  private static final int BYTES = 1024;
  private static final int CHECKSUM_AT = 0xFC;
  private static final int UUID_AT = 0x30;
  private static final int UUID_BYTES = 16;
  private static final int TYPE_CRC32C = 4;

  private static final int COMPAT_CHECKSUM = 1;
  private static final int INCOMPAT_REVOKE = 1;
  private static final int INCOMPAT_64BIT = 2;
  private static final int INCOMPAT_CSUM_V2 = 8;
  private static final int INCOMPAT_CSUM_V3 = 0x10;
  private static final int INCOMPAT_READ =
      INCOMPAT_REVOKE | INCOMPAT_64BIT | INCOMPAT_CSUM_V2 | INCOMPAT_CSUM_V3;
  private static final List<String> INCOMPAT_NAMES =
      List.of(
          "journal_incompat_revoke",
          "journal_64bit",
          "journal_async_commit",
          "journal_checksum_v2",
          "journal_checksum_v3",
          "fast_commit");

  static JournalSuperblock read(JournalFile file) throws Ext4Exception {
    if (file.length() < 2) {
      throw file.damaged(0, "the journal has a hole or no size");
    }
    ByteBuffer bytes = file.block(0).slice(0, BYTES).order(ByteOrder.BIG_ENDIAN);
    int type = bytes.getInt(4);
    if (bytes.getInt(0) != LogFormat.MAGIC
        || (type != LogFormat.SUPERBLOCK_V1 && type != LogFormat.SUPERBLOCK_V2)) {
      throw file.damaged(0, "no superblock");
    }
    boolean hasFeatures = type == LogFormat.SUPERBLOCK_V2;
    LogFormat format = format(file, bytes, hasFeatures ? bytes.getInt(0x28) : 0);
    if (hasFeatures && (bytes.getInt(0x24) & COMPAT_CHECKSUM) != 0) {
      throw Ext4Exception.unsupported("feature journal_checksum");
    }
    return located(file, bytes, format);
  }

  private static JournalSuperblock located(JournalFile file, ByteBuffer bytes, LogFormat format)
      throws Ext4Exception {
    long end = Integer.toUnsignedLong(bytes.getInt(0x10));
    long first = Integer.toUnsignedLong(bytes.getInt(0x14));
    long start = Integer.toUnsignedLong(bytes.getInt(0x1C));
    if (bytes.getInt(0xC) != file.blockSize()
        || end > file.length()
        || first < 1
        || first >= end
        || (start != 0 && (start < first || start >= end))) {
      throw file.damaged(0, "sizes");
    }
    return new JournalSuperblock(first, end, bytes.getInt(0x18), start, format);
  }

  private static LogFormat format(JournalFile file, ByteBuffer bytes, int incompat)
      throws Ext4Exception {
    if ((incompat & ~INCOMPAT_READ) != 0) {
      throw Ext4Exception.unsupported("feature " + names(incompat & ~INCOMPAT_READ));
    }
    boolean v2 = (incompat & INCOMPAT_CSUM_V2) != 0;
    boolean v3 = (incompat & INCOMPAT_CSUM_V3) != 0;
    if (v2 && v3) {
      throw file.damaged(0, "checksums of two versions");
    }
    if (v2 || v3) {
      ByteBuffer copy = ByteBuffer.allocate(BYTES).put(bytes.duplicate()).flip();
      copy.putInt(CHECKSUM_AT, 0);
      if (bytes.get(0x50) != TYPE_CRC32C
          || Crc32c.extend(Crc32c.START, copy) != bytes.getInt(CHECKSUM_AT)) {
        throw file.damaged(0, "checksum");
      }
    }
    return new LogFormat(
        v2,
        v3,
        (incompat & INCOMPAT_64BIT) != 0,
        Crc32c.extend(Crc32c.START, bytes.slice(UUID_AT, UUID_BYTES)));
  }

  private static String names(int bits) {
    List<String> names = new ArrayList<>();
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      if ((bits & 1 << bit) != 0) {
        names.add(bit < INCOMPAT_NAMES.size() ? INCOMPAT_NAMES.get(bit) : "FEATURE_I" + bit);
      }
    }
    return String.join(", ", names);
  }

  /** The block behind one of the log. */
  long behind(long block) {
    return block + 1 == end ? first : block + 1;
  }

  /** Whether a transaction has been checkpointed: what it wrote is where it belongs. */
  boolean isPast(int transaction) {
    return start == 0 || transaction - sequence < 0;
  }
}
