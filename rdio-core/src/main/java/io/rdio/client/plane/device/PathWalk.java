// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Walks directories and reads small files, noting what it reads. For one thread, in a moment. */
final class PathWalk {
  private final OpenVolume opened;
  private final BlockTrace trace;
  private final Ext4Volume volume;

  PathWalk(OpenVolume opened, BlockTrace trace) {
    this.opened = opened;
    this.trace = trace;
    this.volume = opened.volume().mappedBy(trace);
  }

  /** The directory that all paths start from. */
  Inode root() throws Ext4Exception {
    return inode(volume.rootInode());
  }

  Inode inode(long number) throws Ext4Exception {
    Inode inode = volume.inode(number);
    trace.add(inode.block());
    return inode;
  }

  Inode child(Inode directory, String name) throws Ext4Exception {
    Inode child = volume.child(directory, name);
    trace.add(child.block());
    return child;
  }

  /** As {@link Ext4Volume#visit}. */
  void visit(Inode directory, Predicate<DirectoryEntry> wantsMore) throws Ext4Exception {
    volume.visit(directory, wantsMore);
  }

  /** The child; null if there is none. */
  @Nullable Inode childOrNull(Inode directory, String name) throws Ext4Exception {
    try {
      return child(directory, name);
    } catch (Ext4Exception e) {
      if (e.kind() == Ext4Exception.Kind.NOT_FOUND) {
        return null;
      }
      throw e;
    }
  }

  /**
   * A small file's bytes, from the device (R5).
   *
   * @return null if it is larger, or has bytes that have no place
   */
  byte @Nullable [] bytes(Inode file, int most) throws Ext4Exception {
    if (file.size() > most || file.isDataElsewhere()) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<FileExtent> extents = volume.extents(file);
    for (long left = file.size(), logical = 0; left > 0; logical++) {
      FileExtent extent = FileExtent.find(extents, logical);
      if (extent == null
          || extent.unwritten()
          || opened.journal().has(extent.physicalOf(logical))) {
        return null;
      }
      ByteBuffer block = opened.home().blocks().block(extent.physicalOf(logical));
      byte[] part = new byte[(int) Math.min(left, block.capacity())];
      block.get(0, part);
      bytes.writeBytes(part);
      left -= part.length;
    }
    return bytes.toByteArray();
  }
}
