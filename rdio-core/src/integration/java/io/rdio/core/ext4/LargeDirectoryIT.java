// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.ForwardingDevice;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A directory of so many names that its tree of hashes has three levels (large_dir): as the kernel
 * makes it, while it is mounted and afterwards, and as e2fsck packs it.
 */
@Tag("loop")
final class LargeDirectoryIT {
  private static final long BYTES = 64L << 20;

  /** Of 1 KiB. A root has room for 123 entries, a node below it for 126. */
  private static final String BLOCKS = "1024";

  /** More than two levels have room for, with three names of the largest length in each block. */
  private static final int NAMES = 50_000;

  private static final int NAME_LENGTH = 255;
  private static final int NODES_BELOW_THE_ROOT = 2;
  private static final int FILES = 7;
  private static final int STEP = 97;

  /**
   * More than for a name's three nodes, its block, its inode, and what leads to those; without the
   * tree they were thousands.
   */
  private static final int READS = 30;

  private static final String DIRECTORY = "names";

  /** Counts its reads. */
  private static final class CountedDevice extends ForwardingDevice {
    private final AtomicInteger reads = new AtomicInteger();

    CountedDevice(BlockDevice device) {
      super(device);
    }

    @Override
    public void read(long offset, ByteBuffer target) throws FallbackException {
      reads.incrementAndGet();
      super.read(offset, target);
    }
  }

  @Test
  void aTreeOfThreeLevelsLeadsToEachName() throws Exception {
    Requirements.requireLoop("ext4");
    Ext4Image.requireTools();
    try (LoopDevice loop = LoopDevice.create(BYTES)) {
      String seed = "hash_seed=00000000-0000-4000-8000-000000000003";
      String node = loop.node().toString();
      Command.run(
          "mkfs.ext4", "-q", "-F", "-b", BLOCKS, "-O", "large_dir", "-E", seed, node, "64M");
      CountedDevice device = new CountedDevice(NamedDevice.open(loop.backingFile()));
      Map<String, Long> names;
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), "defaults")) {
        names = fill(mounted.mountPoint());
        Command.run("timeout", "120", "sync", "-f", mounted.mountPoint().toString());
        compare(device, Journal.over(Ext4Volume.open(device)), names);
      }
      compare(device, Ext4Volume.open(device), names);
      new Ext4Image(loop.backingFile()).check();
      compare(device, Ext4Volume.open(device), names);
    }
  }

  /** The names that it makes, each with the inode that it is another link of. */
  private static Map<String, Long> fill(Path root) throws IOException {
    List<Path> files = new ArrayList<>();
    List<Long> inodes = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      Path file = Files.createFile(root.resolve("file" + i));
      files.add(file);
      inodes.add((Long) Files.getAttribute(file, "unix:ino"));
    }
    Path directory = Files.createDirectory(root.resolve(DIRECTORY));
    Map<String, Long> names = new HashMap<>();
    for (int i = 0; i < NAMES; i++) {
      String name = nameOf(i);
      Files.createLink(directory.resolve(name), files.get(i % FILES));
      names.put(name, inodes.get(i % FILES));
    }
    return names;
  }

  private static String nameOf(int number) {
    String start = "blk_" + number;
    return start + "x".repeat(NAME_LENGTH - start.length());
  }

  private static void compare(CountedDevice device, Ext4Volume volume, Map<String, Long> names)
      throws Ext4Exception {
    Inode directory = volume.resolve(DIRECTORY);
    ByteBuffer first = volume.blocks().block(volume.extents(directory).get(0).physical());
    assertThat(Objects.requireNonNull(HashTreeNode.root(first)).levels())
        .as("this makes it a test")
        .isEqualTo(NODES_BELOW_THE_ROOT);

    List<DirectoryEntry> list =
        volume.list(directory).stream().filter(entry -> !entry.isDots()).toList();
    assertThat(list).hasSize(names.size());
    Map<String, Long> listed = new HashMap<>();
    list.forEach(entry -> listed.put(entry.name(), entry.inode()));
    assertThat(listed.equals(names)).as("all names and inodes are the kernel's").isTrue();

    int before = device.reads.get();
    int asked = 1;
    requireFound(volume, directory, list.get(list.size() - 1));
    for (int i = 0; i < list.size(); i += STEP, asked++) {
      requireFound(volume, directory, list.get(i));
    }
    assertThat(device.reads.get() - before).as("it is the tree").isLessThan(READS * asked);
    requireAbsent(volume, directory, nameOf(NAMES));
  }

  private static void requireFound(Ext4Volume volume, Inode directory, DirectoryEntry entry)
      throws Ext4Exception {
    assertThat(volume.child(directory, entry.name()).number()).isEqualTo(entry.inode());
  }

  private static void requireAbsent(Ext4Volume volume, Inode directory, String name) {
    Ext4Exception absent =
        catchThrowableOfType(Ext4Exception.class, () -> volume.child(directory, name));
    assertThat(absent.kind()).isEqualTo(Ext4Exception.Kind.NOT_FOUND);
  }
}
