// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.journal.Journal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was seen of a file when it was resolved, to be compared with what it is later. Immutable.
 *
 * <p>Of a file whose extents are all in its inode nothing but that is kept.
 */
final class TracedFile {
  private static final long[] NONE = {};

  private final Inode inode;
  private final long[] treeBlocks;
  private final @Nullable List<FileExtent> treeExtents;

  private TracedFile(Inode inode, long[] treeBlocks, @Nullable List<FileExtent> treeExtents) {
    this.inode = inode;
    this.treeBlocks = treeBlocks;
    this.treeExtents = treeExtents;
  }

  /**
   * @param treeBlocks blocks that its extents were read from, the inode's own left out
   */
  static TracedFile of(Inode inode, List<FileExtent> extents, long[] treeBlocks) {
    return treeBlocks.length == 0
        ? new TracedFile(inode.detached(), NONE, null)
        : new TracedFile(inode.detached(), treeBlocks, List.copyOf(extents));
  }

  /** Whether the journal knows that no block of it was written or revoked behind a position. */
  boolean isUntouched(Journal journal, long since) {
    if (!journal.isUntouched(inode.block(), since)) {
      return false;
    }
    for (long block : treeBlocks) {
      if (!journal.isUntouched(block, since)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether it still is what it was (R3). The inode comes last: whatever changes the extents
   * changes it too, so one that is the same vouches for what was read before it.
   */
  boolean isUnchanged(Ext4Volume volume) throws Ext4Exception {
    if (treeExtents != null && !volume.extents(inode).equals(treeExtents)) {
      return false;
    }
    return inode.hasSameFile(volume.inode(inode.number()));
  }

  int heapBytes() {
    int extents = treeExtents == null ? 0 : treeExtents.size();
    return 360 + Long.BYTES * treeBlocks.length + 48 * extents;
  }
}
