// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Crc32c;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Volume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The checksums of a log as it was written, made to fit what it was changed to. */
public final class LogSignatures {
  private static final int SUPERBLOCK_BYTES = 1024;
  private static final int SUPERBLOCK_CHECKSUM_AT = 0xFC;
  private static final int COMMIT_CHECKSUM_AT = 16;
  private static final int HEADER = 12;
  private static final int UUID_BYTES = 16;
  private static final int FLAG_SAME_UUID = 2;

  /** Gives bytes of the image to be written to, big-endian; they are within one block. */
  @FunctionalInterface
  public interface Changes {
    ByteBuffer change(int at, int length);
  }

  /** Where the blocks behind a descriptor are in the image. */
  private record Descriptor(int at, int sequence, List<Integer> copies) {}

  private final JournalFile file;
  private final LogFormat format;
  private final List<Descriptor> descriptors = new ArrayList<>();
  private final List<Integer> revokes = new ArrayList<>();
  private final List<Integer> commits = new ArrayList<>();
  private final Map<Long, Integer> copies = new HashMap<>();

  private LogSignatures(JournalFile file, JournalSuperblock superblock) throws Ext4Exception {
    this.file = file;
    this.format = superblock.format();
    if (!format.hasChecksums()) {
      throw new AssertionError("a log without checksums");
    }
    long block = superblock.start();
    int sequence = superblock.sequence();
    while (block != 0 && LogFormat.isOf(file.block(block), sequence)) {
      ByteBuffer bytes = file.block(block);
      switch (LogFormat.type(bytes)) {
        case LogFormat.DESCRIPTOR -> {
          Descriptor descriptor = new Descriptor(at(block), sequence, new ArrayList<>());
          descriptors.add(descriptor);
          for (LogFormat.Tag tag : Objects.requireNonNull(format.tags(bytes))) {
            block = superblock.behind(block);
            descriptor.copies().add(at(block));
            copies.put(tag.home(), at(block));
          }
        }
        case LogFormat.REVOKE -> revokes.add(at(block));
        default -> {
          commits.add(at(block));
          sequence++;
        }
      }
      block = superblock.behind(block);
    }
  }

  /** Those of the log that a file system has. */
  public static LogSignatures of(Ext4Volume device) throws Ext4Exception {
    JournalFile file = new JournalFile(device);
    return new LogSignatures(file, JournalSuperblock.read(file));
  }

  private int at(long block) {
    return (int) (file.physical(block) * file.blockSize());
  }

  /** By a block's number, where in the image the last copy of it is. */
  public Map<Long, Integer> copies() {
    return copies;
  }

  /** Makes all of them fit. */
  public void sign(Changes image) {
    ByteBuffer superblock = image.change(at(0), SUPERBLOCK_BYTES);
    superblock.putInt(SUPERBLOCK_CHECKSUM_AT, 0);
    superblock.putInt(SUPERBLOCK_CHECKSUM_AT, Crc32c.extend(Crc32c.START, superblock));
    for (Descriptor descriptor : descriptors) {
      signCopies(image, descriptor);
      sign(image, descriptor.at(), file.blockSize() - Integer.BYTES);
    }
    revokes.forEach(at -> sign(image, at, file.blockSize() - Integer.BYTES));
    commits.forEach(at -> sign(image, at, COMMIT_CHECKSUM_AT));
  }

  private void sign(Changes image, int blockAt, int at) {
    ByteBuffer block = image.change(blockAt, file.blockSize());
    block.putInt(at, 0);
    block.putInt(at, Crc32c.extend(format.seed(), block));
  }

  /** Of each copy that has a tag now, in its tag. */
  private void signCopies(Changes image, Descriptor descriptor) {
    ByteBuffer block = image.change(descriptor.at(), file.blockSize());
    boolean v3 = format.checksumV3();
    int size = v3 ? 16 : 10 + (format.wide() ? 4 : 0);
    int seed = Crc32c.extend(format.seed(), Integer.reverseBytes(descriptor.sequence()));
    int at = HEADER;
    for (int copy : descriptor.copies()) {
      if (at + size > block.capacity() - Integer.BYTES) {
        return;
      }
      int crc = Crc32c.extend(seed, image.change(copy, file.blockSize()));
      if (v3) {
        block.putInt(at + 12, crc);
      } else {
        block.putShort(at + 4, (short) crc);
      }
      int flags = v3 ? block.getInt(at + 4) : block.getShort(at + 6);
      at += size + ((flags & FLAG_SAME_UUID) == 0 ? UUID_BYTES : 0);
    }
  }
}
