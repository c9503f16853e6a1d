// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import io.rdio.core.ext4.Crc32c;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.testing.MemoryDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** An image with transactions in its log, which debugfs writes; and its bytes, to be changed. */
public final class LogImage {
  private static final String CHECKED = "ssv lastcheck 20260101000000";

  private final Ext4Image image;
  private final int blockSize;
  private final String open;

  /**
   * @param open what debugfs is asked to open the journal by: with which checksums
   */
  public LogImage(Ext4Image image, int blockSize, String open) {
    this.image = image;
    this.blockSize = blockSize;
    this.open = open;
  }

  public Path file() {
    return image.file();
  }

  /** Commits what requests of debugfs change, and leaves the blocks on the device as they are. */
  public void commit(String... requests) throws IOException {
    Path copy = copy(".changed");
    new Ext4Image(copy).change(requests);
    byte[] before = Files.readAllBytes(replayed().file());
    byte[] after = Files.readAllBytes(copy);
    int[] changed =
        IntStream.range(0, before.length / blockSize)
            .filter(i -> !Arrays.equals(block(before, i), block(after, i)))
            .toArray();
    commitBlocks(changed, after);
  }

  /** Commits blocks as an image has them. */
  public void commitBlocks(int[] numbers, byte[] content) throws IOException {
    ByteArrayOutputStream data = new ByteArrayOutputStream();
    for (int number : numbers) {
      data.writeBytes(block(content, number));
    }
    Path file = Path.of(image.file() + ".data");
    Files.write(file, data.toByteArray());
    String list = IntStream.of(numbers).mapToObj(String::valueOf).collect(Collectors.joining(","));
    image.change(open, "jw -b " + list + " " + file, "jc");
  }

  /** Replays the log for good and leaves it empty; unlike with debugfs alone that is no check. */
  public void checkpoint() throws IOException {
    image.change("jr", CHECKED);
  }

  /** Sets the time of the last check as {@link #checkpoint} does. */
  public void checked() throws IOException {
    image.change(CHECKED);
  }

  public void revoke(long block) throws IOException {
    image.change(open, "jw -r " + block, "jc");
  }

  /** A copy whose log was replayed by debugfs. */
  Ext4Image replayed() throws IOException {
    Ext4Image copy = new Ext4Image(copy(".replayed"));
    copy.change("jr");
    return copy;
  }

  private Path copy(String suffix) throws IOException {
    // What changes next builds on what was committed before.
    Path copy = Path.of(image.file() + suffix);
    Files.copy(image.file(), copy, StandardCopyOption.REPLACE_EXISTING);
    if (suffix.equals(".changed")) {
      new Ext4Image(copy).change("jr");
    }
    return copy;
  }

  public byte[] bytes() throws IOException {
    return Files.readAllBytes(image.file());
  }

  private byte[] block(byte[] bytes, int number) {
    return Arrays.copyOfRange(bytes, number * blockSize, (number + 1) * blockSize);
  }

  public static Ext4Volume volume(byte[] bytes) throws Ext4Exception {
    return Ext4Volume.open(new MemoryDevice(bytes, 4096));
  }

  static Journal journal(byte[] bytes) throws Ext4Exception {
    return Journal.open(volume(bytes));
  }

  /** The image with its log in another place of the journal, from a block on. */
  static void rotate(byte[] bytes, long start) throws Ext4Exception {
    JournalFile file = new JournalFile(volume(bytes));
    JournalSuperblock superblock = JournalSuperblock.read(file);
    byte[] old = bytes.clone();
    long from = superblock.start();
    long to = start;
    do {
      int length = file.blockSize();
      System.arraycopy(old, at(file, from), bytes, at(file, to), length);
      from = superblock.behind(from);
      to = superblock.behind(to);
    } while (from != superblock.start());
    moveStart(bytes, start, superblock.sequence());
  }

  /** The image with another start of its log. */
  public static void moveStart(byte[] bytes, long start, int sequence) throws Ext4Exception {
    JournalFile file = new JournalFile(volume(bytes));
    boolean hasChecksums = JournalSuperblock.read(file).format().hasChecksums();
    ByteBuffer first = ByteBuffer.wrap(bytes, at(file, 0), 1024).slice();
    first.putInt(0x18, sequence);
    first.putInt(0x1C, (int) start);
    if (hasChecksums) {
      signSuperblock(first);
    }
  }

  private static void signSuperblock(ByteBuffer first) {
    first.putInt(0xFC, 0);
    first.putInt(0xFC, Crc32c.extend(Crc32c.START, first.slice(0, 1024)));
  }

  /** The image with one more feature of its log that who does not know it must not read. */
  public static void addFeature(byte[] bytes, int bit) throws Ext4Exception {
    ByteBuffer first = logBlock(bytes, 0);
    first.putInt(0x28, first.getInt(0x28) | bit);
    signSuperblock(first);
  }

  /** A block of the journal, to be changed in place. */
  public static ByteBuffer logBlock(byte[] bytes, long number) throws Ext4Exception {
    JournalFile file = new JournalFile(volume(bytes));
    return ByteBuffer.wrap(bytes, at(file, number), file.blockSize()).slice();
  }

  /**
   * A block of the journal that is a transaction's own, to be changed in place.
   *
   * @param type 1 for its first descriptor, 2 for its commit block
   */
  public static ByteBuffer logBlock(byte[] bytes, int type, int sequence) throws Ext4Exception {
    for (long number = 1; ; number++) {
      ByteBuffer block = logBlock(bytes, number);
      if (LogFormat.isOf(block, sequence) && LogFormat.type(block) == type) {
        return block;
      }
    }
  }

  /** Makes a commit block's checksum fit what it was changed to. */
  public static void signCommit(byte[] bytes, ByteBuffer commit) throws Ext4Exception {
    int seed = JournalSuperblock.read(new JournalFile(volume(bytes))).format().seed();
    commit.putInt(16, 0);
    commit.putInt(16, Crc32c.extend(seed, commit.slice(0, commit.capacity())));
  }

  private static int at(JournalFile file, long number) {
    return (int) (file.physical(number) * file.blockSize());
  }
}
