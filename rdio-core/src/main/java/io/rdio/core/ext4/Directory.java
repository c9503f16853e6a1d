// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A directory's names. A hash tree is asked where a name would be; if the name is not there, or
 * there is no tree, all blocks are looked through one by one. Those of the tree have no names but
 * the two dots.
 *
 * <p>No block is in it twice, so what names there are is bounded by the device, and besides by a
 * count of them; where all are kept, also by a count of their bytes.
 */
final class Directory {
  private static final int MAX_BLOCKS = 1 << 18;
  private static final int MAX_ENTRIES = 1 << 20;
  private static final int MAX_NAME_BYTES = 1 << 24;
  private static final int MAX_LEVELS = 3;

  private final Ext4Superblock superblock;
  private final MetadataBlocks blocks;
  private final Inode inode;
  private final List<FileExtent> extents;
  private final DirectoryChecksums checksums;
  private final long blockCount;

  /**
   * @param extents of the directory, all of them
   */
  Directory(Ext4Superblock superblock, MetadataBlocks blocks, Inode inode, List<FileExtent> extents)
      throws Ext4Exception {
    this.superblock = superblock;
    this.blocks = blocks;
    this.inode = inode;
    this.extents = extents;
    this.checksums = new DirectoryChecksums(superblock, inode);
    this.blockCount = inode.size() / superblock.blockSize();
    long end = extents.isEmpty() ? 0 : extents.get(extents.size() - 1).end();
    if (blockCount == 0 || inode.size() % superblock.blockSize() != 0 || end > blockCount) {
      // Names behind the size may be in use or not.
      throw Ext4Exception.damaged(
          inode.block(),
          inode + ": a directory of " + inode.size() + " bytes and " + end + " blocks");
    }
    if (blockCount > MAX_BLOCKS) {
      throw Ext4Exception.unsupported(inode + " has more than " + MAX_BLOCKS + " blocks");
    }
    requireDistinct();
  }

  /** One block in all places of a directory would make a small device a large one. */
  private void requireDistinct() throws Ext4Exception {
    List<FileExtent> byPlace = new ArrayList<>(extents);
    byPlace.sort(Comparator.comparingLong(FileExtent::physical));
    long free = 0;
    for (FileExtent extent : byPlace) {
      if (extent.physical() < free) {
        throw Ext4Exception.damaged(
            inode.block(),
            inode + ": block " + extent.physical() + " is in the directory more than once");
      }
      free = extent.physical() + extent.length();
    }
  }

  /** A block of it, its checksum verified. */
  private record Block(long number, ByteBuffer bytes, @Nullable HashTreeNode node) {}

  /** The inode that a name is of. */
  OptionalLong find(byte[] name) throws Ext4Exception {
    OptionalLong leaf = leaf(name);
    if (leaf.isPresent()) {
      OptionalLong found = find(name, block(leaf.getAsLong()));
      if (found.isPresent()) {
        return found;
      }
    }
    for (long logical = 0; logical < blockCount; logical++) {
      OptionalLong found = find(name, block(logical));
      if (found.isPresent()) {
        return found;
      }
    }
    return OptionalLong.empty();
  }

  private OptionalLong find(byte[] name, Block block) throws Ext4Exception {
    DirectoryBlock entries = new DirectoryBlock(superblock, block.number(), block.bytes());
    while (entries.next()) {
      if (entries.isNamed(name)) {
        return OptionalLong.of(entries.inode());
      }
    }
    return OptionalLong.empty();
  }

  /** Which block a name is in by the hash tree, if there is one that makes sense. */
  private OptionalLong leaf(byte[] name) throws Ext4Exception {
    HashTreeNode node = blockCount > 1 ? block(0).node() : null;
    if (node == null) {
      return OptionalLong.empty();
    }
    int levels = node.levels();
    OptionalInt hash = DirectoryHash.of(superblock, node.hashVersion(), name);
    if (hash.isEmpty() || levels > MAX_LEVELS) {
      return OptionalLong.empty();
    }
    for (int level = 0; ; level++) {
      long child = node.child(node.find(hash.getAsInt()));
      if (child >= blockCount) {
        return OptionalLong.empty();
      }
      if (level == levels) {
        return OptionalLong.of(child);
      }
      node = block(child).node();
      if (node == null) {
        return OptionalLong.empty();
      }
    }
  }

  /** All names, in the order of the blocks. */
  List<DirectoryEntry> list() throws Ext4Exception {
    Kept kept = new Kept();
    walk(kept::take);
    return kept.entries;
  }

  /**
   * Hands out the names one by one, in the order of the blocks.
   *
   * @param wantsMore takes a name; false if it was the last that is wanted
   */
  void visit(Predicate<DirectoryEntry> wantsMore) throws Ext4Exception {
    walk(entries -> wantsMore.test(entries.entry()));
  }

  /** Takes the name that a cursor is at. */
  @FunctionalInterface
  private interface Taker {
    /** Whether more are wanted. */
    boolean take(DirectoryBlock entries) throws Ext4Exception;
  }

  /** All names together, of which there are no more than memory should have room for. */
  private final class Kept {
    private final List<DirectoryEntry> entries = new ArrayList<>();
    private int nameBytes;

    boolean take(DirectoryBlock from) throws Ext4Exception {
      nameBytes += from.nameLength();
      if (nameBytes > MAX_NAME_BYTES) {
        throw Ext4Exception.unsupported(
            inode + " has more than " + MAX_NAME_BYTES + " bytes of names");
      }
      return entries.add(from.entry());
    }
  }

  private void walk(Taker taker) throws Ext4Exception {
    int count = 0;
    for (long logical = 0; logical < blockCount; logical++) {
      Block block = block(logical);
      DirectoryBlock entries = new DirectoryBlock(superblock, block.number(), block.bytes());
      while (entries.next()) {
        count++;
        if (count > MAX_ENTRIES) {
          throw Ext4Exception.unsupported(inode + " has more than " + MAX_ENTRIES + " names");
        }
        if (!taker.take(entries)) {
          return;
        }
      }
    }
  }

  private Block block(long logical) throws Ext4Exception {
    FileExtent extent = FileExtent.find(extents, logical);
    if (extent == null || extent.unwritten()) {
      throw Ext4Exception.damaged(
          inode.block(), inode + ": block " + logical + " of the directory is nowhere");
    }
    long number = extent.physicalOf(logical);
    ByteBuffer bytes = blocks.block(number);
    HashTreeNode node = null;
    if (inode.has(Inode.FLAG_INDEX) && superblock.features().has(Feature.DIR_INDEX)) {
      node = logical == 0 ? HashTreeNode.root(bytes) : HashTreeNode.inner(bytes);
    }
    if (node != null) {
      checksums.requireTree(number, bytes, node);
    } else {
      checksums.requireLeaf(number, bytes);
    }
    return new Block(number, bytes, node);
  }
}
