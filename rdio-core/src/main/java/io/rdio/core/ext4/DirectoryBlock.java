// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A cursor over the entries of one block of a directory. Each entry is at least {@value
 * #MIN_LENGTH} bytes long and ends inside the block, so the cursor comes to its end. For one thread
 * at a time.
 *
 * <p>Source: Documentation/filesystems/ext4/directory.rst of Linux.
 */
final class DirectoryBlock {
  /** Of an entry: its fixed part and up to four bytes of a name. */
  static final int MIN_LENGTH = 12;

  static final int FIXED = 8;

  private static final int LENGTH_AT = 4;
  private static final int NAME_LENGTH_AT = 6;
  private static final int TYPE_AT = 7;

  private final Ext4Superblock superblock;
  private final long number;
  private final ByteBuffer bytes;
  private int at;
  private int next;

  /**
   * @param number of the block, for messages
   */
  DirectoryBlock(Ext4Superblock superblock, long number, ByteBuffer bytes) {
    this.superblock = superblock;
    this.number = number;
    this.bytes = bytes;
  }

  /** Moves to the next entry that is in use; false behind the last one. */
  boolean next() throws Ext4Exception {
    while (next < bytes.capacity()) {
      at = next;
      int length = remaining() < MIN_LENGTH ? 0 : lengthAt(bytes, at);
      if (length < MIN_LENGTH || length % Integer.BYTES != 0 || length > remaining()) {
        throw damaged("length " + length);
      }
      next = at + length;
      if (inode() != 0) {
        requireEntry(length);
        return true;
      }
    }
    return false;
  }

  private void requireEntry(int length) throws Ext4Exception {
    if (nameLength() == 0 || FIXED + nameLength() > length) {
      throw damaged("name of " + nameLength() + " bytes");
    }
    if (inode() > superblock.inodeCount()) {
      throw damaged("inode " + inode());
    }
  }

  long inode() {
    return Integer.toUnsignedLong(bytes.getInt(at));
  }

  InodeType type() {
    return superblock.features().has(Feature.FILETYPE)
        ? InodeType.ofEntry(bytes.get(at + TYPE_AT) & 0xFF)
        : InodeType.UNKNOWN;
  }

  boolean isNamed(byte[] name) {
    return nameLength() == name.length && nameBytes().equals(ByteBuffer.wrap(name));
  }

  DirectoryEntry entry() {
    String name = StandardCharsets.UTF_8.decode(nameBytes()).toString();
    return new DirectoryEntry(name, inode(), type());
  }

  private ByteBuffer nameBytes() {
    return bytes.slice(at + FIXED, nameLength());
  }

  // One byte even without the type: Linux leaves the byte behind it as it was, whatever the format
  // says of a length of two bytes.
  int nameLength() {
    return bytes.get(at + NAME_LENGTH_AT) & 0xFF;
  }

  private int remaining() {
    return bytes.capacity() - at;
  }

  /**
   * The length of an entry. Two bytes are too few for that of a block of 64 KiB, for which there
   * are two values besides; in such blocks the lowest two bits are the highest.
   */
  static int lengthAt(ByteBuffer block, int at) {
    int stored = block.getShort(at + LENGTH_AT) & 0xFFFF;
    if (block.capacity() <= 0xFFFF) {
      return stored;
    }
    if (stored == 0 || stored == 0xFFFF) {
      return block.capacity();
    }
    return (stored & ~3) | ((stored & 3) << Short.SIZE);
  }

  private Ext4Exception damaged(String what) {
    return Ext4Exception.damaged(number, "directory entry at " + at + ": " + what);
  }
}
