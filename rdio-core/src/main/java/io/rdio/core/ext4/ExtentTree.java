// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A file's extent tree, walked from the root in the inode to its leaves.
 *
 * <p>Depth falls by one with every step and is at most {@value #MAX_DEPTH} at the root, so no walk
 * is deeper. What a node says lies between its own key and the key behind it in its parent, keys
 * rise, and extents do not overlap; a tree that leads to a node twice breaks one of these.
 *
 * <p>Source: Documentation/filesystems/ext4/ifork.rst of Linux.
 */
final class ExtentTree {
  private static final int MAX_DEPTH = 5;
  private static final int MAGIC = 0xF30A;
  private static final int HEADER = 12;
  private static final int ENTRY = 12;

  /** Lengths above it are of unwritten extents. */
  private static final int MAX_WRITTEN = 1 << 15;

  private final Ext4Superblock superblock;
  private final MetadataBlocks blocks;
  private final Inode inode;
  private final ExtentCollector found;

  private ExtentTree(Ext4Superblock superblock, MetadataBlocks blocks, Inode inode) {
    this.superblock = superblock;
    this.blocks = blocks;
    this.inode = inode;
    this.found = new ExtentCollector(blocks, inode);
  }

  static List<FileExtent> extents(Ext4Superblock superblock, MetadataBlocks blocks, Inode inode)
      throws Ext4Exception {
    ExtentTree tree = new ExtentTree(superblock, blocks, inode);
    ByteBuffer root = inode.root();
    int depth = depth(root);
    Node node = tree.node(inode.block(), root, depth, Inode.ROOT_BYTES);
    if (depth > MAX_DEPTH) {
      throw tree.damaged(node, "depth " + depth);
    }
    tree.walk(node, 0, ExtentCollector.MAX_LOGICAL);
    return tree.found.extents();
  }

  /** A node, its header checked. */
  private record Node(long block, ByteBuffer bytes, int depth, int entries) {
    int at(int entry) {
      return HEADER + ENTRY * entry;
    }

    long key(int entry) {
      return Integer.toUnsignedLong(bytes.getInt(at(entry)));
    }
  }

  /** Takes in what lies below a node, which is all from one logical block to before another. */
  private void walk(Node node, long from, long to) throws Ext4Exception {
    long previous = from - 1;
    for (int i = 0; i < node.entries(); i++) {
      long key = node.key(i);
      if (key <= previous || key >= to) {
        throw damaged(node, "entry " + i + " is for block " + key + ", which is out of order");
      }
      previous = key;
      if (node.depth() == 0) {
        addLeaf(node, i, key, to);
      } else {
        long childEnd = i + 1 < node.entries() ? node.key(i + 1) : to;
        walk(child(node, i), key, childEnd);
      }
    }
  }

  private void addLeaf(Node node, int entry, long logical, long to) throws Ext4Exception {
    ByteBuffer bytes = node.bytes();
    int at = node.at(entry);
    int length = bytes.getShort(at + 4) & 0xFFFF;
    boolean unwritten = length > MAX_WRITTEN;
    long physical = physical(bytes, at + 8, at + 6);
    FileExtent extent =
        new FileExtent(logical, physical, unwritten ? length - MAX_WRITTEN : length, unwritten);
    if (extent.end() > to) {
      throw damaged(node, "entry " + entry + " reaches into the next node");
    }
    found.add(node.block(), extent);
  }

  private Node child(Node node, int entry) throws Ext4Exception {
    found.countMappingBlock();
    int at = node.at(entry);
    long number = physical(node.bytes(), at + 4, at + 8);
    ByteBuffer bytes = blocks.block(number);
    Node child = node(number, bytes, node.depth() - 1, bytes.capacity());
    if (superblock.checksums().metadata()) {
      requireChecksum(child);
    }
    return child;
  }

  private Node node(long block, ByteBuffer bytes, int depth, int size) throws Ext4Exception {
    int entries = bytes.getShort(2) & 0xFFFF;
    int capacity = capacity(bytes);
    Node node = new Node(block, bytes, depth, entries);
    if ((bytes.getShort(0) & 0xFFFF) != MAGIC
        || depth(bytes) != depth
        || entries > capacity
        || capacity > (size - HEADER) / ENTRY) {
      throw damaged(node, "header");
    }
    if (entries == 0 && depth > 0) {
      throw damaged(node, "no entries");
    }
    return node;
  }

  /** The checksum is behind the room for entries, and covers all before itself. */
  private void requireChecksum(Node node) throws Ext4Exception {
    int at = HEADER + ENTRY * capacity(node.bytes());
    int seed = superblock.checksums().seedOf(inode.number(), inode.generation());
    if (at + Integer.BYTES > node.bytes().capacity()
        || Crc32c.extend(seed, node.bytes().slice(0, at)) != node.bytes().getInt(at)) {
      throw damaged(node, "checksum");
    }
  }

  private static int capacity(ByteBuffer node) {
    return node.getShort(4) & 0xFFFF;
  }

  private static int depth(ByteBuffer node) {
    return node.getShort(6) & 0xFFFF;
  }

  private static long physical(ByteBuffer node, int low, int high) {
    return Integer.toUnsignedLong(node.getInt(low))
        | (node.getShort(high) & 0xFFFFL) << Integer.SIZE;
  }

  private Ext4Exception damaged(Node node, String what) {
    return Ext4Exception.damaged(node.block(), inode + ": extent tree: " + what);
  }
}
