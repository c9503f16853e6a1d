// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.ext4.journal.LogImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An image whose metadata is damaged here and there, and looked at in every way that there is. It
 * can be damaged again and again: each time it is whole first.
 */
final class HostileImage implements BlockDevice {
  private static final int INODES_MAX = 60;
  private static final int BLOCKS_MAX = 40;

  private final byte[] whole;
  private final byte[] bytes;

  /** Offsets that a look at the whole image reads: where damage matters. */
  private final List<Long> read;

  private final Set<Long> reads = new TreeSet<>();

  /** Makes checksums fit what was damaged; null where damage is left as it is. */
  private final @Nullable Signatures signatures;

  private HostileImage(byte[] whole, @Nullable Signatures signatures) throws Ext4Exception {
    this.whole = whole;
    this.signatures = signatures;
    this.bytes = whole.clone();
    walk();
    this.read = new ArrayList<>(reads);
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
      images.add(new HostileImage(Files.readAllBytes(file), null));
      image.change("jo", "jw -b 30,31,32 " + content.resolve("plain"), "jw -r 31", "jc");
      images.add(new HostileImage(Files.readAllBytes(file), null));
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
      byte[] bytes = log.bytes();
      images.add(new HostileImage(bytes, new Signatures(bytes)));
    }
    return images;
  }

  /** That checksums are made as those that made the image have made them. */
  void requireSignaturesAsTheyAre() {
    byte[] signed = whole.clone();
    Signatures all = Objects.requireNonNull(signatures);
    all.signAll(signed);
    assertThat(Arrays.mismatch(signed, whole)).isEqualTo(-1);
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
  void check(byte[] edits) throws Ext4Exception {
    System.arraycopy(whole, 0, bytes, 0, whole.length);
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
    try {
      walk();
    } catch (Ext4Exception e) {
      assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
    }
    assertThat(System.nanoTime() - start).isLessThan(60_000_000_000L);
  }

  /** Where it is that is damaged now. */
  private int edit(int where, int how, byte with) {
    // The first bytes of blocks have most of what leads on to others.
    int inBlock = how % 3 == 0 ? where % 64 : where * 31 % 1024;
    int at = (int) (read.get(where % read.size()) + inBlock);
    ByteBuffer all = ByteBuffer.wrap(bytes);
    switch (how % 5) {
      case 0 -> bytes[at] ^= (byte) (1 << (with & 7));
      case 1 -> bytes[at] = with;
      case 2 -> all.putInt(at & -4, with);
      case 3 -> all.putInt(at & -4, Integer.reverseBytes(with));
      default -> all.putShort(at & -2, (short) (with << (with & 7)));
    }
    return at;
  }

  private void walk() throws Ext4Exception {
    Ext4Volume device = Ext4Volume.open(this);
    try {
      walk(Journal.over(device));
    } finally {
      walk(device);
    }
  }

  private static void walk(Ext4Volume volume) {
    Queue<Long> queue = new ArrayDeque<>(List.of(2L, 8L, 11L));
    Set<Long> seen = new HashSet<>(queue);
    for (int i = 0; i < INODES_MAX && !queue.isEmpty(); i++) {
      try {
        for (long next : look(volume, queue.remove())) {
          if (seen.add(next)) {
            queue.add(next);
          }
        }
      } catch (Ext4Exception e) {
        assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
      }
    }
  }

  private static List<Long> look(Ext4Volume volume, long number) throws Ext4Exception {
    Inode inode = volume.inode(number);
    long end = 0;
    for (FileExtent extent : volume.extents(inode)) {
      assertThat(extent.logical()).isGreaterThanOrEqualTo(end);
      assertThat(extent.physical() + extent.length())
          .isLessThanOrEqualTo(volume.superblock().blockCount());
      end = extent.end();
    }
    List<Long> children = new ArrayList<>();
    if (inode.type() == InodeType.DIRECTORY) {
      for (DirectoryEntry entry : volume.list(inode)) {
        children.add(entry.inode());
        if (children.size() < INODES_MAX) {
          volume.child(inode, entry.name());
        }
      }
    } else {
      FileContent file = new FileContent(volume, inode);
      for (int i = 0; i < BLOCKS_MAX && file.next().hasRemaining(); i++) {
        // Reading is all.
      }
    }
    return children;
  }

  @Override
  public String name() {
    return "image";
  }

  @Override
  public int alignment() {
    return 512;
  }

  @Override
  public long sizeBytes() {
    return bytes.length;
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    if (read == null) {
      reads.add(offset / 1024 * 1024);
    }
    target.put(bytes, (int) offset, target.remaining());
  }
}
