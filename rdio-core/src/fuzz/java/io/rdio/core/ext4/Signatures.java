// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.ext4.journal.LogSignatures;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where an image has checksums, on the device and in the copies of its log, and how they are made
 * to fit what the image was changed to. Which piece is whose, and by which seed, is that of the
 * image before that. For images with metadata_csum, inodes of more than 128 bytes, blocks of up to
 * 4096, and without meta_bg.
 */
final class Signatures {
  private static final int SUPERBLOCK_CHECKSUM_AT = 0x3FC;
  private static final int DESCRIPTOR_CHECKSUM_AT = 0x1E;
  private static final int SMALL_INODE = 128;
  private static final int INODE_LOW_AT = 0x7C;
  private static final int EXTRA_SIZE_AT = 0x80;
  private static final int INODE_HIGH_AT = 0x82;
  private static final int GENERATION_AT = 0x64;
  private static final int HEADER = 12;
  private static final int ENTRY = 12;
  private static final int DEPTH_MAX = 5;
  private static final int LEAF_TAIL = 12;
  private static final int LEAF_TAIL_HEAD = 0xDE00000C;

  /** Makes the checksum fit. */
  private interface Signer {
    void sign(ByteBuffer piece);
  }

  private record Piece(int at, int length, Signer signer) {
    void sign(SparseImage image) {
      signer.sign(image.change(at, length).order(ByteOrder.LITTLE_ENDIAN));
    }
  }

  private final NavigableMap<Integer, Piece> pieces = new TreeMap<>();
  private final @Nullable LogSignatures log;
  private final int blockSize;

  private Signatures(Ext4Volume device, @Nullable LogSignatures log) throws Ext4Exception {
    this.blockSize = device.superblock().blockSize();
    this.log = log;
    new Finder(device, block -> Optional.of((int) block * blockSize)).findAll();
  }

  /** Those of a whole image whose log has checksums, too. */
  static Signatures withLog(BlockDevice image) throws Ext4Exception {
    Ext4Volume device = Ext4Volume.open(image);
    LogSignatures log = LogSignatures.of(device);
    Signatures all = new Signatures(device, log);
    Map<Long, Integer> copies = log.copies();
    all.new Finder(Journal.over(device), block -> Optional.ofNullable(copies.get(block))).findAll();
    return all;
  }

  /**
   * Those outside the log of an image that may be damaged; null if it has none, or such as are not
   * made here.
   */
  static @Nullable Signatures withoutLog(BlockDevice image) {
    try {
      return areKnown(image) ? new Signatures(Ext4Volume.open(image), null) : null;
    } catch (Ext4Exception unreadable) {
      return null;
    }
  }

  /** Whether an image has such as are made here. */
  static boolean areKnown(BlockDevice image) {
    try {
      Ext4Superblock superblock = Ext4Volume.open(image).superblock();
      return superblock.checksums().metadata()
          && !superblock.features().has(Feature.META_BG)
          && superblock.inodeSize() > SMALL_INODE
          && superblock.blockSize() <= SparseImage.PAGE;
    } catch (Ext4Exception unreadable) {
      return false;
    }
  }

  /** Pieces that have a checksum of their own. */
  int count() {
    return pieces.size();
  }

  /** Makes all that there are fit. */
  void signAll(SparseImage image) {
    pieces.values().forEach(piece -> piece.sign(image));
    signLog(image);
  }

  /** Makes that of one byte's piece fit, and those of the log. */
  void sign(SparseImage image, int at) {
    Map.Entry<Integer, Piece> piece = pieces.floorEntry(at);
    if (piece != null && at < piece.getKey() + piece.getValue().length()) {
      piece.getValue().sign(image);
    }
    signLog(image);
  }

  private void signLog(SparseImage image) {
    if (log != null) {
      log.sign(image::change);
    }
  }

  /** Takes down the pieces of one view, where blocks are in certain places or in none. */
  private final class Finder {
    private final Ext4Volume volume;
    private final Ext4Superblock superblock;
    private final LongFunction<Optional<Integer>> places;

    Finder(Ext4Volume volume, LongFunction<Optional<Integer>> places) {
      this.volume = volume;
      this.superblock = volume.superblock();
      this.places = places;
    }

    void findAll() throws Ext4Exception {
      add(
          Ext4Superblock.AT / blockSize,
          Ext4Superblock.AT % blockSize,
          Ext4Superblock.BYTES,
          Signatures::signSuperblock);
      for (long group = 0; group < superblock.groupCount(); group++) {
        findGroup(group);
      }
      for (long number = 1; number <= superblock.inodeCount(); number++) {
        try {
          find(volume.inode(number));
        } catch (Ext4Exception free) {
          // It has no blocks.
        }
      }
    }

    private void add(long block, int offset, int length, Signer signer) {
      places
          .apply(block)
          .ifPresent(
              place ->
                  pieces.putIfAbsent(place + offset, new Piece(place + offset, length, signer)));
    }

    private void findGroup(long group) throws Ext4Exception {
      int size = superblock.descriptorSize();
      int perBlock = superblock.descriptorsPerBlock();
      add(
          (blockSize == Ext4Superblock.BYTES ? 2 : 1) + group / perBlock,
          (int) (group % perBlock) * size,
          size,
          piece -> signDescriptor(group, piece));
      long table = new GroupDescriptors(superblock, volume.blocks()).inodeTable(group);
      int inodes = blockSize / superblock.inodeSize();
      for (long i = 0; i < superblock.inodesPerGroup(); i++) {
        long number = group * superblock.inodesPerGroup() + i + 1;
        add(
            table + i / inodes,
            (int) (i % inodes) * superblock.inodeSize(),
            superblock.inodeSize(),
            piece -> signInode(number, piece));
      }
    }

    private void signDescriptor(long group, ByteBuffer piece) {
      piece.putShort(DESCRIPTOR_CHECKSUM_AT, (short) 0);
      int crc = Crc32c.extend(superblock.checksums().seed(), (int) group);
      piece.putShort(DESCRIPTOR_CHECKSUM_AT, (short) Crc32c.extend(crc, piece));
    }

    private void signInode(long number, ByteBuffer piece) {
      if (piece.equals(ByteBuffer.allocate(piece.capacity()))) {
        return; // one that was never used has none
      }
      // Reserved ones have no room for the upper half, and something else in its place.
      boolean hasHigh =
          (piece.getShort(EXTRA_SIZE_AT) & 0xFFFF) >= INODE_HIGH_AT + 2 - EXTRA_SIZE_AT;
      piece.putShort(INODE_LOW_AT, (short) 0);
      if (hasHigh) {
        piece.putShort(INODE_HIGH_AT, (short) 0);
      }
      int seed = superblock.checksums().seedOf(number, piece.getInt(GENERATION_AT));
      int crc = Crc32c.extend(seed, piece);
      piece.putShort(INODE_LOW_AT, (short) crc);
      if (hasHigh) {
        piece.putShort(INODE_HIGH_AT, (short) (crc >>> Short.SIZE));
      }
    }

    private void find(Inode inode) throws Ext4Exception {
      int seed = superblock.checksums().seedOf(inode.number(), inode.generation());
      if (inode.has(Inode.FLAG_EXTENTS)) {
        findChildren(inode.root(), seed, DEPTH_MAX);
      }
      if (inode.type() != InodeType.DIRECTORY) {
        return;
      }
      for (FileExtent extent : volume.extents(inode)) {
        for (long i = 0; i < extent.length(); i++) {
          boolean first = extent.logical() + i == 0;
          boolean indexed = inode.has(Inode.FLAG_INDEX);
          add(
              extent.physical() + i,
              0,
              blockSize,
              piece -> signDirectory(seed, piece, indexed, first));
        }
      }
    }

    private void findChildren(ByteBuffer node, int seed, int depth) throws Ext4Exception {
      int entries = Math.min(node.getShort(2), (node.capacity() - HEADER) / ENTRY);
      boolean leaf = node.getShort(6) == 0 || depth == 0;
      for (int i = 0; !leaf && i < entries; i++) {
        long block = Integer.toUnsignedLong(node.getInt(HEADER + i * ENTRY + 4));
        ByteBuffer child = volume.blocks().block(block);
        add(block, 0, blockSize, piece -> signExtents(seed, piece));
        findChildren(child, seed, depth - 1);
      }
    }
  }

  private static void signSuperblock(ByteBuffer piece) {
    piece.putInt(
        SUPERBLOCK_CHECKSUM_AT,
        Crc32c.extend(Crc32c.START, piece.slice(0, SUPERBLOCK_CHECKSUM_AT)));
  }

  private static void signExtents(int seed, ByteBuffer piece) {
    int at = HEADER + ENTRY * (piece.getShort(4) & 0xFFFF);
    if (at <= piece.capacity() - Integer.BYTES) {
      piece.putInt(at, Crc32c.extend(seed, piece.slice(0, at)));
    }
  }

  /** As what its block looks like now. */
  private static void signDirectory(int seed, ByteBuffer piece, boolean indexed, boolean first) {
    HashTreeNode node = null;
    if (indexed) {
      node = first ? HashTreeNode.root(piece) : HashTreeNode.inner(piece);
    }
    if (node == null) {
      int tail = piece.capacity() - LEAF_TAIL;
      piece.putInt(tail, 0).putInt(tail + 4, LEAF_TAIL_HEAD);
      piece.putInt(tail + 8, Crc32c.extend(seed, piece.slice(0, tail)));
      return;
    }
    int tail = node.entryAt(node.limit());
    if (tail <= piece.capacity() - 2 * Integer.BYTES) {
      int crc = Crc32c.extend(seed, piece.slice(0, node.entryAt(node.count())));
      crc = Crc32c.extend(crc, piece.slice(tail, Integer.BYTES));
      piece.putInt(tail + Integer.BYTES, Crc32c.extend(crc, 0));
    }
  }
}
