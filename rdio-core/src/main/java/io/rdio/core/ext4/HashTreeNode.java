// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A block of a directory's hash tree. It looks like a block of entries to who does not know of the
 * tree: the root like one with the two dots only, others like an empty one.
 *
 * <p>Source: Documentation/filesystems/ext4/directory.rst of Linux.
 *
 * @param start where its entries are, from an entry on that has their number in place of a hash
 * @param count entries in use, from 1 to {@code limit}
 * @param limit entries that there is room for
 */
record HashTreeNode(ByteBuffer bytes, int start, int count, int limit) {
  private static final int ENTRY = 8;
  private static final int ROOT_INFO_AT = 24;
  private static final int ROOT_INFO = 8;
  private static final int HASH_VERSION_AT = 28;
  private static final int LEVELS_AT = 30;

  /** The root; null where the block is none. */
  static @Nullable HashTreeNode root(ByteBuffer block) {
    boolean dots =
        DirectoryBlock.lengthAt(block, 0) == DirectoryBlock.MIN_LENGTH
            && DirectoryBlock.lengthAt(block, DirectoryBlock.MIN_LENGTH)
                == block.capacity() - DirectoryBlock.MIN_LENGTH;
    boolean info = block.getInt(ROOT_INFO_AT) == 0 && block.get(HASH_VERSION_AT + 1) == ROOT_INFO;
    return dots && info ? node(block, ROOT_INFO_AT + ROOT_INFO) : null;
  }

  /** A node below the root; null where the block is none. */
  static @Nullable HashTreeNode inner(ByteBuffer block) {
    boolean empty = block.getInt(0) == 0 && DirectoryBlock.lengthAt(block, 0) == block.capacity();
    return empty ? node(block, DirectoryBlock.FIXED) : null;
  }

  private static @Nullable HashTreeNode node(ByteBuffer block, int start) {
    int limit = block.getShort(start) & 0xFFFF;
    int count = block.getShort(start + Short.BYTES) & 0xFFFF;
    boolean fits = count >= 1 && count <= limit && start + ENTRY * limit <= block.capacity();
    return fits ? new HashTreeNode(block, start, count, limit) : null;
  }

  /** Where an entry starts in the block. */
  int entryAt(int entry) {
    return start + ENTRY * entry;
  }

  /** The lowest hash below an entry but the first, which has all that are lower. */
  private int hash(int entry) {
    return bytes.getInt(entryAt(entry));
  }

  /** The last entry that a hash is not below of; the first one if there is none. */
  int find(int hash) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (Integer.compareUnsigned(hash(middle), hash) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** The directory's block that an entry leads to. */
  long child(int entry) {
    return bytes.getInt(entryAt(entry) + Integer.BYTES) & 0x0FFFFFFF;
  }

  /** Of the root: the hash that the tree goes by. */
  int hashVersion() {
    return bytes.get(HASH_VERSION_AT) & 0xFF;
  }

  /** Of the root: nodes between it and the blocks of entries. */
  int levels() {
    return bytes.get(LEVELS_AT) & 0xFF;
  }
}
