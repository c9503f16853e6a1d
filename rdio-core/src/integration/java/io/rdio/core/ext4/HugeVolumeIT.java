// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.linux.KernelFile;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A volume of more than 2^32 blocks, filled by the kernel: whatever may lie behind so many does,
 * and the reader has the kernel's view of it, while it is mounted and afterwards.
 *
 * <p>With {@code -Drdio.test.all=true} also with descriptors in their own groups (meta_bg).
 */
@Tag("loop")
final class HugeVolumeIT {
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");

  /** In blocks of 1 KiB, twice as many as 32 bits count; but for what is written, holes. */
  private static final long BYTES = 8L << 40;

  private static final long FAR = 1L << Integer.SIZE;

  /** Of the root, which Linux spreads over the volume by the hashes of their names. */
  private static final int DIRECTORIES = 12;

  private static final int NAMES = 60;

  /** More than an inode has room for, so that there is a tree. */
  private static final int PIECES = 400;

  private static final int DISTANCE = 9 << 10;
  private static final int CONTENT = 100_001;

  /** In the root of a tree of extents, behind its header and the entry's key. */
  private static final int FIRST_CHILD_AT = 12 + 4;

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
      BlockDevice device = NamedDevice.open(loop.backingFile());
      KernelView view;
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), "noinit_itable")) {
        fill(mounted.mountPoint());
        Command.run("timeout", "120", "sync", "-f", mounted.mountPoint().toString());
        view = KernelView.of(mounted.mountPoint(), true);
        Journal journal = Journal.open(Ext4Volume.open(device));
        assertThat(journal.size()).as("blocks that are in the log only").isPositive();
        view.compare(Ext4Volume.open(device).seenBy(journal));
      }
      Ext4Volume volume = Ext4Volume.open(device);
      view.compare(volume);
      assertThat(volume.superblock().blockCount()).isEqualTo(2 * FAR);
      assertThat(far(volume))
          .as("what lies behind 2^32 blocks")
          .containsExactly("content", "inode", "log", "names", "reserved", "tree");
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

  private static void fill(Path root) throws IOException {
    Random random = new Random(1);
    byte[] content = new byte[CONTENT];
    for (int i = 0; i < DIRECTORIES; i++) {
      Path directory = Files.createDirectory(root.resolve(nameOf(i)));
      random.nextBytes(content);
      Files.write(directory.resolve("content"), content);
      scatter(directory.resolve("scattered"));
      Path reserved = Files.createFile(directory.resolve("reserved"));
      assertThat(KernelFile.tryAllocate(reserved, KernelFile.KEEP_SIZE, 0, CONTENT)).isTrue();
      for (int name = 0; name < NAMES; name++) {
        Files.createFile(directory.resolve("blk_" + name + "x".repeat(name)));
      }
    }
  }

  /** Pieces with holes between, each of which takes an extent. */
  private static void scatter(Path file) throws IOException {
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int i = 0; i < PIECES; i++) {
        channel.position((long) i * DISTANCE).write(ByteBuffer.wrap(new byte[] {(byte) i}));
      }
    }
  }

  private static String nameOf(int directory) {
    return "subdir" + directory;
  }

  /** What of all the directories has a block that 32 bits do not count. */
  private static Set<String> far(Ext4Volume volume) throws Ext4Exception {
    Set<String> far = new TreeSet<>();
    for (int i = 0; i < DIRECTORIES; i++) {
      Inode directory = volume.resolve(nameOf(i));
      Inode scattered = volume.child(directory, "scattered");
      note(far, "inode", scattered.block());
      note(far, "tree", firstChild(scattered));
      note(far, "names", firstBlock(volume, directory));
      note(far, "content", firstBlock(volume, volume.child(directory, "content")));
      note(far, "reserved", firstBlock(volume, volume.child(directory, "reserved")));
    }
    note(far, "log", firstBlock(volume, volume.inode(volume.superblock().journalInode())));
    return far;
  }

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
