// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.Inode;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A journal in a file that has the same blocks again and again: an image of some megabytes whose
 * log is as long as that of a terabyte.
 */
final class HostileLogTest {
  private static final int BLOCK_SIZE = 1024;
  private static final int INODE_SIZE = 256;
  private static final int JOURNAL_INODE = 8;
  private static final int RUN_AT = 33_000;
  private static final int RUN = 13_000;
  private static final int RUNS = 83;

  @TempDir(factory = InMemory.class)
  Path directory;

  @ParameterizedTest
  @ValueSource(ints = {LogFormat.DESCRIPTOR, LogFormat.REVOKE})
  void aLogWithoutEndIsRefused(int type) throws Exception {
    byte[] image = image();
    Ext4Volume volume = LogImage.volume(image);
    Inode journal = volume.inode(JOURNAL_INODE);
    long first = volume.extents(journal).get(0).physical();
    repeatTheRun(image, (int) journal.block(), (int) first);
    ByteBuffer superblock = block(image, (int) first).order(ByteOrder.BIG_ENDIAN);
    superblock.putInt(0x10, 1 + RUNS * RUN).putInt(0x18, 1).putInt(0x1C, 1);
    for (int i = 0; i < RUN; i++) {
      logBlock(block(image, RUN_AT + i).order(ByteOrder.BIG_ENDIAN), type);
    }

    assertThatThrownBy(() -> LogImage.journal(image))
        .hasMessage("UNSUPPORTED: a log of more than " + LogScanner.MAX_BLOCKS + " blocks");
  }

  private byte[] image() throws IOException {
    Path content = Files.createDirectory(directory.resolve("content"));
    Path file = directory.resolve("image");
    Ext4Image.requireTools();
    Ext4Image.make(file, content, "64M", "-t ext4 -b 1024 -I 256 -J size=1 -O ^metadata_csum");
    return Files.readAllBytes(file);
  }

  /** Has the journal's inode lead to its first block, and then to the run for so many times. */
  private static void repeatTheRun(byte[] image, int inodeBlock, int first) {
    int leaf = RUN_AT - 1;
    ByteBuffer inode = block(image, inodeBlock).position((JOURNAL_INODE - 1) % 4 * INODE_SIZE);
    ByteBuffer record = inode.slice().order(ByteOrder.LITTLE_ENDIAN);
    long size = (1L + (long) RUNS * RUN) * BLOCK_SIZE;
    record.putInt(0x4, (int) size).putInt(0x6C, (int) (size >>> Integer.SIZE));
    header(record.position(0x28), 1, 1).putInt(0).putInt(leaf).putInt(0);
    ByteBuffer extents = header(block(image, leaf), RUNS + 1, 0);
    extent(extents, 0, 1, first);
    for (int i = 0; i < RUNS; i++) {
      extent(extents, 1 + i * RUN, RUN, RUN_AT);
    }
  }

  private static ByteBuffer header(ByteBuffer node, int entries, int depth) {
    int room = depth == 0 ? (BLOCK_SIZE - 12) / 12 : 4;
    return node.putShort((short) 0xF30A)
        .putShort((short) entries)
        .putShort((short) room)
        .putShort((short) depth)
        .putInt(0);
  }

  private static void extent(ByteBuffer node, int logical, int length, int physical) {
    node.putInt(logical).putShort((short) length).putShort((short) 0).putInt(physical);
  }

  /** A revoke block that names none, or a descriptor that is full. */
  private static void logBlock(ByteBuffer block, int type) {
    block.putInt(LogFormat.MAGIC).putInt(type).putInt(1);
    if (type == LogFormat.REVOKE) {
      block.putInt(16);
      return;
    }
    while (block.remaining() >= 8) {
      int sameUuid = 2;
      block.putInt(RUN_AT).putShort((short) 0).putShort((short) sameUuid);
    }
  }

  private static ByteBuffer block(byte[] image, int number) {
    return ByteBuffer.wrap(image, number * BLOCK_SIZE, BLOCK_SIZE)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
