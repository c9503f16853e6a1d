// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.volume.MetaHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a Commit does to a block's two files before they have their names (W5). Thread-safe. */
final class CommitFiles {
  /** Bytes of a meta file that are handed to the kernel at a time: java.nio copies each of them. */
  private static final int PIECE = 64 << 10;

  private final SlotFiles files;

  CommitFiles(SlotFiles files) {
    this.files = files;
  }

  /**
   * Makes a slot's file as long as its block, durably, with no page of it cached. The kernel zeroes
   * the tail of the last page through its cache: therefore pages go before and behind the cut.
   *
   * <p>A slot that the block fills is not synced here, for all of it is durable: its length since
   * it was in the pool, what the agent wrote since it has flushed that itself (W11), how many names
   * it has since it has the hold link. Through the cache nobody writes to a slot.
   */
  void cut(Path file, long length) throws IOException {
    if (Files.size(file) != length) {
      files.dropPages(file);
      files.cut(file, length);
    }
    requireUncached(file, length);
  }

  /**
   * Drops a file's pages, and sees that it has none. Also ahead of the first sync of it: that would
   * write a page which somebody dirtied over what the agent wrote, and leave nothing to see.
   *
   * @param length of the file
   */
  void requireUncached(Path file, long length) throws IOException {
    int cached = files.pagesLeft(file, length);
    if (cached != 0) {
      throw new IOException(cached + " pages of " + file + " stay in the cache");
    }
  }

  /** Writes header and CRCs to a meta file that is there, durably. */
  static void writeMeta(Path meta, ChecksumSpec spec, byte[] crcs) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(MetaHeader.LENGTH);
    MetaHeader.write(spec, header);
    try (FileChannel channel = FileChannel.open(meta, StandardOpenOption.WRITE)) {
      writeAll(channel, header.flip());
      for (int at = 0; at < crcs.length; at += PIECE) {
        writeAll(channel, ByteBuffer.wrap(crcs, at, Math.min(PIECE, crcs.length - at)));
      }
      channel.force(true);
    }
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
