// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import io.rdio.core.device.BlockDevice;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An ext4 file system (or ext2, or ext3) to be read. It remembers nothing but the superblock:
 * whoever wants blocks kept puts {@link MetadataBlocks} that keep them underneath. Safe for any
 * number of threads.
 */
public final class Ext4Volume {
  private static final int ROOT_INODE = 2;
  private static final int MAX_NAMES = 256;
  private static final int MAX_NAME_BYTES = 255;

  private final Ext4Superblock superblock;
  private final MetadataBlocks blocks;
  private final InodeTable inodes;

  private Ext4Volume(Ext4Superblock superblock, MetadataBlocks blocks) {
    this(superblock, blocks, new InodeTable(superblock, blocks));
  }

  private Ext4Volume(Ext4Superblock superblock, MetadataBlocks blocks, InodeTable inodes) {
    this.superblock = superblock;
    this.blocks = blocks;
    this.inodes = inodes;
  }

  /**
   * The file system as the device has it, without what is in its journal only.
   *
   * @throws Ext4Exception XFS; DAMAGED also where there is something else, UNSUPPORTED, IO
   */
  public static Ext4Volume open(BlockDevice device) throws Ext4Exception {
    AlignedReader reader = new AlignedReader(device);
    return of(reader, Ext4Superblock.read(reader));
  }

  /**
   * The same by a superblock that is newer than the device's: its journal says that it has grown.
   *
   * @throws Ext4Exception DAMAGED where the device is smaller
   */
  public static Ext4Volume open(BlockDevice device, Ext4Superblock grown) throws Ext4Exception {
    AlignedReader reader = new AlignedReader(device);
    grown.requireWithin(reader);
    return of(reader, grown);
  }

  private static Ext4Volume of(AlignedReader reader, Ext4Superblock superblock) {
    return new Ext4Volume(
        superblock, new DeviceBlocks(reader, superblock.blockSize(), superblock.blockCount()));
  }

  /**
   * The same file system as other blocks show it: those of its journal over these.
   *
   * @throws Ext4Exception DAMAGED also where it has more blocks than these by then
   */
  public Ext4Volume seenBy(MetadataBlocks other) throws Ext4Exception {
    Ext4Superblock seen = Ext4Superblock.read(other);
    if (seen.blockCount() > other.blockCount()) {
      throw Ext4Exception.damaged(
          superblockBlock(),
          "superblock: it has grown to " + seen.blockCount() + " blocks since it was opened");
    }
    return new Ext4Volume(seen, other);
  }

  /** The same file system by other blocks, with the superblock as it was read before. */
  public Ext4Volume by(MetadataBlocks other) {
    return new Ext4Volume(superblock, other);
  }

  /** The same, but for directories and mappings, which are read by other blocks. */
  public Ext4Volume mappedBy(MetadataBlocks other) {
    return new Ext4Volume(superblock, other, inodes);
  }

  /** The directory that all paths start from. */
  public Inode root() throws Ext4Exception {
    return inode(ROOT_INODE);
  }

  /** The number of its inode. */
  public long rootInode() {
    return ROOT_INODE;
  }

  /** The superblock as it is now: another mount, say, more blocks, or errors noted since. */
  public Ext4Superblock currentSuperblock() throws Ext4Exception {
    return Ext4Superblock.read(blocks);
  }

  /** The block that has the superblock. */
  public long superblockBlock() {
    return Ext4Superblock.AT / superblock.blockSize();
  }

  public Ext4Superblock superblock() {
    return superblock;
  }

  public MetadataBlocks blocks() {
    return blocks;
  }

  /**
   * An inode by its number.
   *
   * @throws Ext4Exception NOT_FOUND if there is no such number or the inode is free
   */
  public Inode inode(long number) throws Ext4Exception {
    return inodes.inode(number);
  }

  /**
   * What a path leads to from the root. No symbolic link is followed; the last name may be one.
   *
   * @param path names between slashes; one that ends with a slash leads to a directory
   * @throws Ext4Exception NOT_FOUND with the name that is not there; UNSUPPORTED where a name
   *     before the last is a symbolic link
   */
  public Inode resolve(String path) throws Ext4Exception {
    return resolve(path, inode -> {});
  }

  /**
   * As {@link #resolve(String)}.
   *
   * @param met told of each inode on the way, the root's and the last one too
   */
  public Inode resolve(String path, Consumer<Inode> met) throws Ext4Exception {
    Inode inode = inode(ROOT_INODE);
    met.accept(inode);
    int names = 0;
    for (String name : path.split("/", -1)) {
      if (name.isEmpty()) {
        continue;
      }
      if (++names > MAX_NAMES) {
        throw Ext4Exception.unsupported("paths of more than " + MAX_NAMES + " names");
      }
      inode = child(inode, name);
      met.accept(inode);
    }
    if (path.endsWith("/")) {
      requireDirectory(inode);
    }
    return inode;
  }

  /**
   * What a name in a directory leads to.
   *
   * @throws Ext4Exception NOT_FOUND also where {@code directory} is something else
   */
  public Inode child(Inode directory, String name) throws Ext4Exception {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    OptionalLong found =
        bytes.length > MAX_NAME_BYTES ? OptionalLong.empty() : open(directory).find(bytes);
    return inode(found.orElseThrow(() -> Ext4Exception.notFound(name + " in " + directory)));
  }

  /**
   * All names in a directory, in its own order, the two dots too.
   *
   * @throws Ext4Exception UNSUPPORTED where it has more than a million names, or 16 MiB of them
   */
  public List<DirectoryEntry> list(Inode directory) throws Ext4Exception {
    return open(directory).list();
  }

  /**
   * As {@link #list}, one by one: of them only those are in memory that somebody keeps, so nobody
   * counts their bytes.
   *
   * @param wantsMore takes a name; false if it was the last that is wanted
   * @throws Ext4Exception UNSUPPORTED where it has more than a million names, once those were
   *     handed out
   */
  public void visit(Inode directory, Predicate<DirectoryEntry> wantsMore) throws Ext4Exception {
    open(directory).visit(wantsMore);
  }

  private Directory open(Inode directory) throws Ext4Exception {
    requireDirectory(directory);
    refuse(directory, Inode.FLAG_CASEFOLD, Feature.CASEFOLD);
    return new Directory(superblock, blocks, directory, extents(directory));
  }

  private static void requireDirectory(Inode inode) throws Ext4Exception {
    if (inode.type() == InodeType.SYMLINK) {
      throw Ext4Exception.unsupported("symlink (" + inode + " is one)");
    }
    if (inode.type() != InodeType.DIRECTORY) {
      throw Ext4Exception.notFound(inode + " is no directory");
    }
  }

  /**
   * Where a file's or a directory's blocks lie, in the file's order; holes are left out. Extents
   * may lie behind the file's size.
   *
   * @throws Ext4Exception UNSUPPORTED where it is neither, or its bytes are not what is on the
   *     device: inline data, encryption
   */
  public List<FileExtent> extents(Inode inode) throws Ext4Exception {
    if (inode.type() != InodeType.FILE && inode.type() != InodeType.DIRECTORY) {
      throw Ext4Exception.unsupported("extents of a " + inode.type().text() + ", " + inode);
    }
    refuse(inode, Inode.FLAG_INLINE_DATA, Feature.INLINE_DATA);
    refuse(inode, Inode.FLAG_ENCRYPT, Feature.ENCRYPT);
    return inode.has(Inode.FLAG_EXTENTS)
        ? ExtentTree.extents(superblock, blocks, inode)
        : BlockMap.extents(blocks, inode);
  }

  private static void refuse(Inode inode, int flag, Feature feature) throws Ext4Exception {
    if (inode.has(flag)) {
      throw Ext4Exception.unsupported(feature.text() + " (" + inode + " has it)");
    }
  }
}
