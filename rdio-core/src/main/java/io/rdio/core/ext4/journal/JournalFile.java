// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.MetadataBlocks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;

/**
 * The file that the journal is in, which need not lie in one piece. It is looked up once: neither
 * the kernel nor e2fsprogs moves the journal of a file system that is in use. Immutable.
 */
final class JournalFile {
  private final MetadataBlocks blocks;
  private final Inode inode;
  private final List<FileExtent> extents;
  private final long length;

  JournalFile(Ext4Volume volume) throws Ext4Exception {
    long number = volume.superblock().journalInode();
    if (number == 0) {
      throw Ext4Exception.unsupported("a journal on another device");
    }
    this.blocks = volume.blocks();
    this.inode = volume.inode(number);
    this.extents = volume.extents(inode);
    this.length = wholeLength();
  }

  /** Blocks up to the first hole or the file's end. */
  private long wholeLength() {
    long end = 0;
    for (FileExtent extent : extents) {
      if (extent.logical() != end || extent.unwritten()) {
        break;
      }
      end = extent.end();
    }
    return Math.min(end, inode.size() / blocks.blockSize());
  }

  long length() {
    return length;
  }

  int blockSize() {
    return blocks.blockSize();
  }

  /**
   * One block, big-endian, as all of jbd2.
   *
   * @param number from 0 to before {@link #length()}
   */
  ByteBuffer block(long number) throws Ext4Exception {
    return blocks.block(physical(number)).duplicate().order(ByteOrder.BIG_ENDIAN);
  }

  /** Which block of the file system a block of the journal is. */
  long physical(long number) {
    return Objects.requireNonNull(FileExtent.find(extents, number)).physicalOf(number);
  }

  /** That a block of the journal is not what it should be. */
  Ext4Exception damaged(long number, String what) {
    long at = number < length ? physical(number) : inode.block();
    return Ext4Exception.damaged(at, "block " + number + " of the journal: " + what);
  }
}
