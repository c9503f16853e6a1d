// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Crc32c;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How blocks of the log are read. Source: Documentation/filesystems/ext4/journal.rst of Linux.
 *
 * @param checksumV2 whether blocks have checksums, those of copies cut to 16 bits
 * @param checksumV3 whether they have whole ones; not with the other
 * @param wide whether block numbers have 64 bits
 * @param seed that checksums start from
 */
record LogFormat(boolean checksumV2, boolean checksumV3, boolean wide, int seed) {
  static final int MAGIC = 0xC03B3998;
  static final int DESCRIPTOR = 1;
  static final int COMMIT = 2;
  static final int SUPERBLOCK_V1 = 3;
  static final int SUPERBLOCK_V2 = 4;
  static final int REVOKE = 5;

  private static final int HEADER = 12;
  private static final int UUID_BYTES = 16;
  private static final int REVOKE_HEADER = 16;
  private static final int COMMIT_CHECKSUM_AT = 16;
  private static final int COMMIT_SECONDS_AT = 48;

  private static final int FLAG_ESCAPED = 1;
  private static final int FLAG_SAME_UUID = 2;
  private static final int FLAG_LAST = 8;

  /**
   * What a descriptor says of one block behind it.
   *
   * @param home block of the file system that it is a copy of
   * @param escaped whether its first four bytes were those that all blocks of the log start with
   */
  record Tag(long home, int checksum, boolean escaped) {}

  boolean hasChecksums() {
    return checksumV2 || checksumV3;
  }

  /** Whether a block is the log's own, of one transaction. */
  static boolean isOf(ByteBuffer block, int sequence) {
    return block.getInt(0) == MAGIC && block.getInt(8) == sequence;
  }

  static int type(ByteBuffer block) {
    return block.getInt(4);
  }

  /** Seconds since 1970 when a transaction was committed. */
  static long commitSeconds(ByteBuffer commit) {
    return commit.getLong(COMMIT_SECONDS_AT);
  }

  /** Whether the checksum of a descriptor or a revoke block, in its last bytes, fits. */
  boolean tailHolds(ByteBuffer block) {
    return !hasChecksums() || holds(block, block.capacity() - Integer.BYTES);
  }

  boolean commitHolds(ByteBuffer block) {
    return !hasChecksums() || holds(block, COMMIT_CHECKSUM_AT);
  }

  private boolean holds(ByteBuffer block, int at) {
    int crc = Crc32c.extend(seed, block.slice(0, at));
    crc = Crc32c.extend(crc, 0);
    int behind = at + Integer.BYTES;
    return Crc32c.extend(crc, block.slice(behind, block.capacity() - behind)) == block.getInt(at);
  }

  /** Whether a copy, as it is in the log, is the one that its tag was written for. */
  boolean copyHolds(ByteBuffer copy, int sequence, int checksum) {
    if (!hasChecksums()) {
      return true;
    }
    int crc = Crc32c.extend(Crc32c.extend(seed, Integer.reverseBytes(sequence)), copy);
    return checksumV3 ? crc == checksum : (crc & 0xFFFF) == checksum;
  }

  /** The tags of a descriptor; null if they do not end. */
  @Nullable List<Tag> tags(ByteBuffer block) {
    int end = room(block);
    int size = tagSize();
    List<Tag> tags = new ArrayList<>();
    int flags = 0;
    for (int at = HEADER; (flags & FLAG_LAST) == 0; ) {
      if (at + size > end) {
        // One that fills its block may do without the flag.
        return tags.isEmpty() ? null : tags;
      }
      flags = checksumV3 ? block.getInt(at + 4) : block.getShort(at + 6);
      int checksum = checksumV3 ? block.getInt(at + 12) : block.getShort(at + 4) & 0xFFFF;
      tags.add(new Tag(home(block, at), checksum, (flags & FLAG_ESCAPED) != 0));
      at += size + ((flags & FLAG_SAME_UUID) == 0 ? UUID_BYTES : 0);
    }
    return tags;
  }

  private long home(ByteBuffer block, int at) {
    long low = Integer.toUnsignedLong(block.getInt(at));
    return wide ? low | (long) block.getInt(at + 8) << Integer.SIZE : low;
  }

  // With version 2 a tag has room for a second checksum that nothing uses.
  private int tagSize() {
    if (checksumV3) {
      return 16;
    }
    return 8 + (checksumV2 ? 2 : 0) + (wide ? 4 : 0);
  }

  /** The most tags that a descriptor has room for, each for one copy behind it. */
  int mostTags(int blockSize) {
    return (blockSize - HEADER) / tagSize();
  }

  /** The blocks that a revoke block names; null if it says that it is longer than it is. */
  long @Nullable [] revoked(ByteBuffer block) {
    int used = block.getInt(HEADER);
    if (used < REVOKE_HEADER || used > room(block)) {
      return null;
    }
    int size = wide ? Long.BYTES : Integer.BYTES;
    long[] revoked = new long[(used - REVOKE_HEADER) / size];
    for (int i = 0; i < revoked.length; i++) {
      int at = REVOKE_HEADER + i * size;
      revoked[i] = wide ? block.getLong(at) : Integer.toUnsignedLong(block.getInt(at));
    }
    return revoked;
  }

  private int room(ByteBuffer block) {
    return block.capacity() - (hasChecksums() ? Integer.BYTES : 0);
  }
}
