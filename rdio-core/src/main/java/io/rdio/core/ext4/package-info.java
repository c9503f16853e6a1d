// SPDX-License-Identifier: Apache-2.0
/**
 * A reader of ext4 (and ext2, ext3) that needs no mount: names, inodes and extents, straight from
 * the device. It reads and never writes.
 *
 * <p>It is one of the rooms that all hosts share, because it knows nothing of blocks, leases or
 * clients: a client asks it where a block file lies whose DataNode is dead, the agent asks it for
 * all processes of a host, and the command line shows what both would see.
 *
 * <h2>The walk</h2>
 *
 * <ol>
 *   <li>{@link io.rdio.core.ext4.Ext4Superblock}: 1024 bytes at offset 1024. It says how large
 *       blocks, groups, inodes and descriptors are, and by its {@linkplain
 *       io.rdio.core.ext4.Features features} how all the rest is written.
 *   <li>Group descriptors: for each group of blocks where its inodes lie. All of them are behind
 *       the superblock, or with meta_bg in pieces in the groups themselves. With flex_bg a group's
 *       inodes may lie in another group; nothing here cares.
 *   <li>The inode table: inode N is record (N - 1) mod inodes-per-group of group (N - 1) /
 *       inodes-per-group. {@link io.rdio.core.ext4.Inode} has type, size, generation and 60 bytes
 *       that the mapping starts from.
 *   <li>The mapping from a file's blocks to the device's: a tree of extents, or on file systems of
 *       ext2 and ext3 blocks of block numbers. Both become a list of {@link
 *       io.rdio.core.ext4.FileExtent}. Bigalloc changes what is allocated, not what is written
 *       here: extents count blocks there too.
 *   <li>Directories: files of entries, each a name and an inode. Large ones have a hash tree, which
 *       leads to the block of a name. Its own blocks look like blocks without names, so who walks
 *       all blocks finds every name; this reader does that where the tree led to nothing.
 *   <li>Paths: from inode 2, the root, name by name. No symbolic link is followed.
 * </ol>
 *
 * <p>All blocks come by {@link io.rdio.core.ext4.MetadataBlocks}. On the device alone they are old
 * where the file system is in use: what was committed lies in the journal until the writer puts it
 * where it belongs. So {@code io.rdio.core.ext4.journal} has blocks that go over these, and {@link
 * io.rdio.core.ext4.Ext4Volume#seenBy} looks at the file system through them.
 *
 * <h2>What holds whatever the device has</h2>
 *
 * <ul>
 *   <li><b>An answer or an {@link io.rdio.core.ext4.Ext4Exception}.</b> Each number that was read
 *       is compared with its range before it is used as an index, a size or a block.
 *   <li><b>Checksums are verified where there are any</b>: superblock, descriptors (CRC-32C or
 *       CRC-16), inodes, extent blocks, directory blocks, tree blocks; each starts from the inode
 *       and its generation, so a block of another file or of this inode's last life is seen. Data,
 *       and mappings without extents, have none.
 *   <li><b>Walks end.</b> An extent tree is at most five deep and its keys rise; blocks of one
 *       mapping, extents of one file, blocks and entries of one directory, bytes of names of one
 *       list and names of one path are counted, and too many are refused; so is a directory that
 *       has one block twice. Nothing is allocated by a number from the device before it was
 *       bounded.
 *   <li><b>What is not understood is refused by its name</b>: incompatible features that are not
 *       known, and fast commits while there may be any. Inline data, encryption and casefold are
 *       refused for the files and directories that have them. Compatible and read-only-compatible
 *       features do not change what is read here, by definition.
 *   <li><b>Unwritten extents are told from written ones</b>: the file has zeros there, the device
 *       whatever was there before.
 * </ul>
 *
 * <p>What it cannot know: whether the file system is the one that was meant, and whether it has
 * changed since. Both are for who asks.
 *
 * <p>Sources: Documentation/filesystems/ext4 of Linux, which the classes name by page.
 */
@NullMarked
package io.rdio.core.ext4;

import org.jspecify.annotations.NullMarked;
