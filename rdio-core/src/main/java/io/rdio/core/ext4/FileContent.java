// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The bytes of one file, block by block and by way of {@link MetadataBlocks}, so that data which is
 * still in the journal (data=journal) is seen too. For people and comparisons: readers of blocks go
 * by extents. For one thread at a time.
 */
public final class FileContent {
  private final MetadataBlocks blocks;
  private final long size;
  private final List<FileExtent> extents;
  private long position;

  /**
   * Starts at the file's beginning.
   *
   * @throws Ext4Exception as {@link Ext4Volume#extents}
   */
  public FileContent(Ext4Volume volume, Inode inode) throws Ext4Exception {
    this(volume.blocks(), inode, volume.extents(inode));
  }

  /**
   * Starts at the beginning of a file whose extents were read before.
   *
   * @param blocks that its bytes are read by
   * @param extents as {@link Ext4Volume#extents} gave them
   */
  public FileContent(MetadataBlocks blocks, Inode inode, List<FileExtent> extents) {
    this.blocks = blocks;
    this.size = inode.size();
    this.extents = List.copyOf(extents);
  }

  /**
   * The next bytes of the file.
   *
   * @return from 1 to {@link MetadataBlocks#blockSize()} bytes, or none at the file's end
   */
  public ByteBuffer next() throws Ext4Exception {
    int length = (int) Math.min(blocks.blockSize(), size - position);
    if (length == 0) {
      return ByteBuffer.allocate(0);
    }
    long logical = position / blocks.blockSize();
    position += length;
    FileExtent extent = FileExtent.find(extents, logical);
    return extent == null || extent.unwritten()
        ? ByteBuffer.allocate(length)
        : blocks.block(extent.physicalOf(logical)).slice(0, length);
  }
}
