// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.device.InspectedDevice;
import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.Allocation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An image whose metadata is damaged here and there, and looked at in every way that there is. It
 * can be damaged again and again: each time it is whole first.
 */
final class HostileImage {
  private static final int INODES_MAX = 60;
  private static final int LOOKUPS_MAX = 20;
  private static final int BLOCKS_MAX = 40;
  private static final long LOOK_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  /**
   * What one question may allocate, in blocks, garbage included: above what the longest mapping
   * costs that refers to the same block again and again, and below a million names that are long.
   */
  private static final long QUESTION_BLOCKS_MAX = 1 << 18;

  /** Damage goes to units of so many bytes: the smallest block. */
  private static final int UNIT = 1024;

  private final SparseImage bytes;

  /** Units that a look at the whole image reads for its metadata: where damage matters. */
  private final int[] read;

  /** Makes checksums fit what was damaged; null where damage is left as it is. */
  private final @Nullable Signatures signatures;

  /** Takes down which units are read. */
  private record Noted(SparseImage image, Set<Integer> units) implements BlockDevice {
    @Override
    public String name() {
      return image.name();
    }

    @Override
    public int alignment() {
      return image.alignment();
    }

    @Override
    public long sizeBytes() {
      return image.sizeBytes();
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      for (long at = offset / UNIT; at * UNIT < offset + target.remaining(); at++) {
        units.add((int) at);
      }
      image.read(offset, target);
    }
  }

  private HostileImage(SparseImage bytes, @Nullable Signatures signatures) {
    this.bytes = bytes;
    this.signatures = signatures;
    Set<Integer> units = new TreeSet<>(Set.of(Ext4Superblock.AT / UNIT));
    look(new Noted(bytes, units), false);
    this.read = units.stream().mapToInt(unit -> unit).toArray();
  }

  /** One whose checksums are left as they are. */
  private static HostileImage read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new HostileImage(SparseImage.read(in), null);
    }
  }

  /**
   * One that may be damaged already, or even no file system. Checksums are to fit what is damaged
   * where it has such as {@link Signatures} makes.
   */
  static HostileImage readAny(InputStream in) throws IOException {
    SparseImage bytes = SparseImage.read(in);
    return new HostileImage(bytes, Signatures.withoutLog(bytes));
  }

  /** One with checksums, which are to fit what is damaged, and a log with them. */
  static HostileImage readSigned(Path file) throws IOException, Ext4Exception {
    try (InputStream in = Files.newInputStream(file)) {
      SparseImage bytes = SparseImage.read(in);
      return new HostileImage(bytes, Signatures.withLog(bytes));
    }
  }

  /** Images without checksums, so that damage gets far, with them, and with logs. */
  static List<HostileImage> make(Path directory) throws IOException, Ext4Exception {
    Path content = content(Files.createDirectory(directory.resolve("content")));
    List<HostileImage> images = new ArrayList<>();
    for (String options :
        List.of(
            "-t ext4 -b 1024 -J size=1 -O ^metadata_csum",
            "-t ext4 -b 1024 -J size=1 -O ^metadata_csum,^64bit,bigalloc,^resize_inode -C 2048",
            "-t ext3 -b 1024 -J size=1",
            "-t ext4 -b 1024 -J size=1")) {
      Path file = directory.resolve("image" + images.size());
      Ext4Image image = Ext4Image.make(file, content, "4M", options);
      image.check();
      images.add(read(file));
      image.change("jo", "jw -b 30,31,32 " + content.resolve("plain"), "jw -r 31", "jc");
      images.add(read(file));
    }
    return images;
  }

  /**
   * Images with checksums, which fit what is damaged: so it gets as far as without, and behind each
   * checksum. Their logs have copies of all kinds of metadata.
   *
   * @param directory where {@link #make} was called
   */
  static List<HostileImage> makeSigned(Path directory) throws IOException, Ext4Exception {
    Path content = directory.resolve("content");
    List<HostileImage> images = new ArrayList<>();
    for (String open : List.of("jo -c -v 3", "jo -c -v 2")) {
      Path file = directory.resolve("signed" + images.size());
      Ext4Image image =
          Ext4Image.make(file, content, "4M", "-t ext4 -b 1024 -J size=1 -O metadata_csum");
      image.check();
      LogImage log = new LogImage(image, 1024, open);
      log.commit(
          "mkdir /made",
          "write " + content.resolve("scattered") + " /made/scattered",
          "rm /a/many/blk_1x");
      log.revoke(3000);
      images.add(readSigned(file));
    }
    return images;
  }

  /** Whether its checksums are made to fit. */
  boolean isSigned() {
    return signatures != null;
  }

  /** That checksums are made as those that made the image have made them. */
  void requireSignaturesAsTheyAre() {
    Signatures all = Objects.requireNonNull(signatures);
    bytes.restore();
    all.signAll(bytes);
    assertThat(bytes.isWhole()).isTrue();
    assertThat(all.count()).isGreaterThan(100);
  }

  private static Path content(Path content) throws IOException {
    Path many = Files.createDirectories(content.resolve("a/many"));
    for (int i = 0; i < 80; i++) {
      Files.createFile(many.resolve("blk_" + i + "x".repeat(i)));
    }
    Files.write(content.resolve("plain"), "abc".repeat(20_000).getBytes(StandardCharsets.UTF_8));
    byte[] scattered = new byte[400_000];
    for (int i = 0; i < scattered.length; i += 4096) {
      scattered[i] = 1;
    }
    Files.write(content.resolve("scattered"), scattered);
    Files.createSymbolicLink(content.resolve("link"), Path.of("x".repeat(100)));
    return content;
  }

  /**
   * Damages and looks.
   *
   * @param edits in fours: two bytes of where, how, and with what
   */
  void check(byte[] edits) {
    try {
      List<Integer> edited = new ArrayList<>();
      for (int i = 0; i + 3 < edits.length; i += 4) {
        int at = ((edits[i] & 0xFF) << Byte.SIZE) | (edits[i + 1] & 0xFF);
        edited.add(edit(at, edits[i + 2] & 0xFF, edits[i + 3]));
      }
      if (signatures != null) {
        for (int at : edited) {
          signatures.sign(bytes, at);
        }
      }
      long start = System.nanoTime();
      look(bytes, true);
      if (signatures != null) { // those without checksums are none that the plane reads
        InspectedDevice.look(bytes);
      }
      assertThat(System.nanoTime() - start).isLessThan(LOOK_NANOS_MAX);
    } finally {
      bytes.restore();
    }
  }

  /** Whether it is, undamaged, one that the plane reads: {@code rdio fs} then looks by moments. */
  boolean isReadByThePlane() {
    bytes.restore();
    return InspectedDevice.look(bytes);
  }

  /** What it has now. */
  byte[] content() {
    ByteBuffer all = ByteBuffer.allocate(bytes.size());
    bytes.get(0, all);
    return all.array();
  }

  /** Where it is that is damaged now. */
  private int edit(int where, int how, byte with) {
    // The first bytes of blocks have most of what leads on to others.
    int inUnit = how % 3 == 0 ? where % 64 : (where * 31 + how / 15 * 61) % UNIT;
    int at = Math.min(read[where % read.length] * UNIT + inUnit, bytes.size() - 1);
    int aligned = at & -Integer.BYTES;
    switch (how % 5) {
      case 0 -> flip(at, with);
      case 1 -> bytes.change(at, 1).put(with);
      case 2 -> bytes.change(aligned, Integer.BYTES).putInt(with);
      case 3 -> bytes.change(aligned, Integer.BYTES).putInt(Integer.reverseBytes(with));
      default -> bytes.change(at & -2, Short.BYTES).putShort((short) (with << (with & 7)));
    }
    return at;
  }

  private void flip(int at, byte with) {
    ByteBuffer one = bytes.change(at, 1);
    one.put(0, (byte) (one.get(0) ^ (1 << (with & 7))));
  }

  private static void look(BlockDevice device, boolean withContent) {
    try {
      Ext4Volume home = Ext4Volume.open(device);
      try {
        walk(Journal.over(home), withContent);
      } finally {
        walk(home, withContent);
      }
    } catch (Ext4Exception e) {
      assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
    }
  }

  private static void walk(Ext4Volume volume, boolean withContent) {
    Queue<Long> queue = new ArrayDeque<>(List.of(2L, 8L, 11L));
    Set<Long> seen = new HashSet<>(queue);
    for (int i = 0; i < INODES_MAX && !queue.isEmpty(); i++) {
      try {
        for (long next : look(volume, queue.remove(), withContent)) {
          if (seen.add(next)) {
            queue.add(next);
          }
        }
      } catch (Ext4Exception e) {
        assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
      }
    }
  }

  /** What a volume is asked for. */
  @FunctionalInterface
  private interface Question<T> {
    T ask() throws Ext4Exception;
  }

  /** Answers or refuses, without a huge allocation. */
  private static <T> T ask(Ext4Volume volume, Question<T> question) throws Ext4Exception {
    long before = Allocation.soFar();
    try {
      return question.ask();
    } finally {
      assertThat(Allocation.soFar() - before)
          .as("bytes allocated")
          .isLessThan(QUESTION_BLOCKS_MAX * volume.superblock().blockSize());
    }
  }

  private static List<Long> look(Ext4Volume volume, long number, boolean withContent)
      throws Ext4Exception {
    Inode inode = ask(volume, () -> volume.inode(number));
    long end = 0;
    for (FileExtent extent : ask(volume, () -> volume.extents(inode))) {
      assertThat(extent.logical()).isGreaterThanOrEqualTo(end);
      assertThat(extent.physical() + extent.length())
          .isLessThanOrEqualTo(volume.superblock().blockCount());
      end = extent.end();
    }
    List<Long> children = new ArrayList<>();
    if (inode.type() == InodeType.DIRECTORY) {
      for (DirectoryEntry entry : ask(volume, () -> volume.list(inode))) {
        children.add(entry.inode());
        if (children.size() < LOOKUPS_MAX) {
          ask(volume, () -> volume.child(inode, entry.name()));
        }
      }
    } else if (withContent) {
      FileContent file = new FileContent(volume, inode);
      for (int i = 0; i < BLOCKS_MAX && file.next().hasRemaining(); i++) {
        // Reading is all.
      }
    }
    return children;
  }
}
