// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.InMemory;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A volume of more than 2^32 blocks: whatever may lie behind so many does, and the reader has the
 * kernel's view of it, while it is mounted and afterwards.
 *
 * <p>With {@code -Drdio.test.all=true} also with descriptors in their own groups (meta_bg).
 */
@Tag("loop")
final class HugeVolumeIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  /** In blocks of 1 KiB, twice as many as 32 bits count; but for what is written, holes. */
  private static final long BYTES = 8L << 40;

  private static final long FAR = 1L << Integer.SIZE;

  /** Of the root: Linux spreads them over the volume by the hashes of their names. */
  private static final int DIRECTORIES = 12;

  private static final int NAMES = 60;

  /** More than an inode has room for, so that there is a tree. */
  private static final int PIECES = 12;

  /** In blocks. */
  private static final int DISTANCE = 100;

  private static final int CONTENT = 100_001;

  /** In the root of a tree of extents, behind its header and the entry's key. */
  private static final int FIRST_CHILD_AT = 12 + 4;

  @TempDir(factory = InMemory.class)
  Path outside;

  static Stream<String> forms() {
    Stream<String> large = Stream.of("64bit,bigalloc -C 65536");
    return ALL ? Stream.concat(large, Stream.of("64bit,meta_bg,^resize_inode")) : large;
  }

  @ParameterizedTest
  @MethodSource("forms")
  void theReaderHasTheKernelsView(String form) throws Exception {
    Requirements.requireLoop("ext4");
    Ext4Image.requireTools();
    try (LoopDevice loop = LoopDevice.create(BYTES)) {
      make(loop.node(), form);
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), "noinit_itable")) {
        for (int i = 0; i < DIRECTORIES; i++) {
          Files.createDirectory(mounted.mountPoint().resolve("subdir" + i));
        }
      }
      reserve(loop.node());
      BlockDevice device = NamedDevice.open(loop.backingFile());
      KernelView view;
      Set<String> far = new TreeSet<>();
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), "noinit_itable")) {
        fill(mounted.mountPoint());
        view = KernelView.of(mounted.mountPoint(), true);
        Journal journal = Journal.open(Ext4Volume.open(device));
        Ext4Volume volume = Ext4Volume.open(device).seenBy(journal);
        view.compare(volume);
        noteLog(far, volume, journal);
      }
      Ext4Volume volume = Ext4Volume.open(device);
      view.compare(volume);
      assertThat(volume.superblock().blockCount()).isEqualTo(2 * FAR);
      noteAll(far, volume);
      assertThat(far)
          .as("what lies behind 2^32 blocks")
          .containsExactly("content", "copied", "inode", "log", "names", "reserved", "tree");
    }
  }

  private static void make(Path node, String form) throws IOException {
    List<String> command = new ArrayList<>(List.of("mkfs.ext4", "-q", "-F", "-b", "1024"));
    command.addAll(List.of("-N", "65536", "-J", "size=4,location=6T", "-E"));
    command.add(
        "nodiscard,lazy_itable_init=1,lazy_journal_init=1,"
            + "hash_seed=00000000-0000-4000-8000-000000000003");
    command.add("-O");
    command.addAll(List.of(form.split(" ")));
    command.add(node.toString());
    Command.run(command.toArray(String[]::new));
  }

  private static String nameOf(int directory) {
    return "/subdir" + directory + "/inner";
  }

  /** By debugfs, which has files near their directories; the kernel does so where it likes to. */
  private void reserve(Path node) throws IOException {
    Path empty = Files.createFile(outside.resolve("empty"));
    List<String> requests = new ArrayList<>();
    for (int i = 0; i < DIRECTORIES; i++) {
      String directory = nameOf(i);
      requests.add("mkdir " + directory);
      for (String file : List.of("content", "reserved", "scattered")) {
        requests.add("write " + empty + " " + directory + "/" + file);
      }
      requests.add("fallocate " + directory + "/content 0 " + CONTENT / 1024);
      requests.add("fallocate " + directory + "/reserved 0 99");
      for (int block = 0; block < PIECES * DISTANCE; block += DISTANCE) {
        requests.add("fallocate " + directory + "/scattered " + block + " " + block);
      }
    }
    Path script = Files.write(outside.resolve("requests"), requests);
    Command.run("debugfs", "-w", "-f", script.toString(), node.toString());
  }

  /** By the kernel, so that the log has copies of blocks. */
  private static void fill(Path root) throws IOException {
    byte[] content = new byte[CONTENT];
    Random random = new Random(1);
    for (int i = 0; i < DIRECTORIES; i++) {
      Path directory = Path.of(root + nameOf(i));
      random.nextBytes(content);
      Files.write(directory.resolve("content"), content, StandardOpenOption.WRITE);
      for (int name = 0; name < NAMES; name++) {
        Files.createFile(directory.resolve("blk_" + name + "x".repeat(name)));
      }
    }
    Command.run("timeout", "120", "sync", "-f", root.toString());
  }

  private static void noteLog(Set<String> far, Ext4Volume volume, Journal journal)
      throws Ext4Exception {
    note(far, "log", firstBlock(volume, volume.inode(volume.superblock().journalInode())));
    for (int i = 0; i < DIRECTORIES; i++) {
      long block = firstBlock(volume, volume.resolve(nameOf(i)));
      if (journal.has(block)) {
        note(far, "copied", block);
      }
    }
  }

  private static void noteAll(Set<String> far, Ext4Volume volume) throws Ext4Exception {
    for (int i = 0; i < DIRECTORIES; i++) {
      Inode directory = volume.resolve(nameOf(i));
      Inode scattered = volume.child(directory, "scattered");
      note(far, "inode", scattered.block());
      note(far, "tree", firstChild(scattered));
      note(far, "names", firstBlock(volume, directory));
      note(far, "content", firstBlock(volume, volume.child(directory, "content")));
      note(far, "reserved", firstBlock(volume, volume.child(directory, "reserved")));
    }
  }

  /** Notes what has a block that 32 bits do not count. */
  private static void note(Set<String> far, String what, long block) {
    if (block >= FAR) {
      far.add(what);
    }
  }

  private static long firstBlock(Ext4Volume volume, Inode inode) throws Ext4Exception {
    return volume.extents(inode).get(0).physical();
  }

  /** The first block of a tree of extents that has any but its root. */
  private static long firstChild(Inode inode) {
    ByteBuffer root = inode.root();
    assertThat(root.getShort(6)).as("its depth").isPositive();
    return Integer.toUnsignedLong(root.getInt(FIRST_CHILD_AT))
        | (root.getShort(FIRST_CHILD_AT + Integer.BYTES) & 0xFFFFL) << Integer.SIZE;
  }
}
