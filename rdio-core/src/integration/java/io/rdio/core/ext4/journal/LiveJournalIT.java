// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.ext4.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileContent;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file system that the kernel has mounted and writes to, read from the file behind its loop
 * device: what was synced is seen, although most of it is in the journal only.
 */
final class LiveJournalIT {
  private static final int ROUNDS = 18;
  private static final int CHANGES = 60;

  private final Random random = new Random(7);
  private final List<Path> files = new ArrayList<>();
  private int made;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-b 4096",
        "-b 1024 -J size=1",
        "-b 1024 -J size=1 -O ^metadata_csum",
        "-b 1024 -J size=1 -O ^64bit,^metadata_csum,^extent,^flex_bg",
        "-b 4096 -O bigalloc -C 16384",
        "-b 1024 -J size=1 -O ^64bit,meta_bg,^resize_inode,metadata_csum_seed,orphan_file,large_dir",
      })
  void whatWasSyncedIsSeen(String options) throws Exception {
    Requirements.requireLoop("ext4");
    try (LoopDevice loop = LoopDevice.create(96L << 20)) {
      Command.run("sh", "-c", "mkfs.ext4 -q " + options + " " + loop.node());
      try (LoopFileSystem mounted = LoopFileSystem.existing(loop.node(), "defaults")) {
        BlockDevice device = NamedDevice.open(loop.backingFile());
        Ext4Volume raw = Ext4Volume.open(device);
        Journal journal = Journal.open(raw);
        Ext4Volume followed = raw.seenBy(journal);
        int copies = 0;
        for (int round = 0; round < ROUNDS; round++) {
          change(mounted.mountPoint());
          Command.run("sync", "-f", mounted.mountPoint().toString());
          journal.catchUp();
          copies += journal.size();
          assertSame(followed, followed.resolve("/"), mounted.mountPoint());
          Ext4Volume fresh = Journal.over(Ext4Volume.open(device));
          assertSame(fresh, fresh.resolve("/"), mounted.mountPoint());
        }
        assertThat(copies).isGreaterThan(ROUNDS);
        mounted.unmount();
        journal.catchUp();
        assertThat(journal.size()).isZero();
        mounted.mount("defaults");
        Files.createFile(mounted.mountPoint().resolve("later"));
        Command.run("sync", "-f", mounted.mountPoint().toString());
        journal.catchUp();
        assertThat(followed.resolve("/later").size()).isZero();
        assertThatThrownBy(() -> followed.resolve("/never")).hasMessageContaining("NOT_FOUND");
      }
    }
  }

  private void change(Path root) throws IOException {
    for (int i = 0; i < CHANGES; i++) {
      Path directory = root.resolve("d" + random.nextInt(8));
      Files.createDirectories(directory);
      int kind = files.size() < 50 ? 0 : random.nextInt(5);
      switch (kind) {
        case 0, 1 -> create(directory.resolve("blk_" + made++ + "x".repeat(random.nextInt(100))));
        case 2 -> Files.delete(pick());
        case 3 -> rename(directory);
        default -> append();
      }
    }
  }

  private Path pick() {
    return files.remove(random.nextInt(files.size()));
  }

  private void create(Path file) throws IOException {
    byte[] bytes = new byte[random.nextInt(40_000)];
    random.nextBytes(bytes);
    Files.write(file, bytes);
    files.add(file);
  }

  private void rename(Path directory) throws IOException {
    Path target = directory.resolve("renamed" + made++);
    files.add(Files.move(pick(), target, StandardCopyOption.ATOMIC_MOVE));
  }

  private void append() throws IOException {
    Path file = files.get(random.nextInt(files.size()));
    Files.write(file, new byte[random.nextInt(9000)], StandardOpenOption.APPEND);
  }

  private static void assertSame(Ext4Volume volume, Inode inode, Path path) throws Exception {
    if (!Files.isDirectory(path)) {
      assertThat(inode.size()).isEqualTo(Files.size(path));
      assertThat(bytes(volume, inode)).isEqualTo(Files.readAllBytes(path));
      if (inode.size() > 0) {
        ExtentList kernels = Fiemap.extents(path, inode.size());
        assertThat(list(volume, inode, kernels.length())).isEqualTo(kernels);
      }
      return;
    }
    Set<String> names =
        volume.list(inode).stream()
            .filter(entry -> !entry.isDots())
            .map(DirectoryEntry::name)
            .collect(Collectors.toCollection(TreeSet::new));
    try (Stream<Path> children = Files.list(path)) {
      List<Path> list = children.toList();
      assertThat(names)
          .isEqualTo(
              list.stream()
                  .map(child -> child.getFileName().toString())
                  .collect(Collectors.toCollection(TreeSet::new)));
      for (Path child : list) {
        assertSame(volume, volume.child(inode, child.getFileName().toString()), child);
      }
    }
  }

  private static byte[] bytes(Ext4Volume volume, Inode inode) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate((int) inode.size());
    FileContent file = new FileContent(volume, inode);
    while (bytes.hasRemaining()) {
      bytes.put(file.next());
    }
    return bytes.array();
  }

  /** As FIEMAP gives them: in bytes, cut to a length, and one where several adjoin. */
  private static ExtentList list(Ext4Volume volume, Inode inode, long length) throws Exception {
    long blockSize = volume.superblock().blockSize();
    List<long[]> runs = new ArrayList<>();
    for (FileExtent extent : volume.extents(inode)) {
      long start = extent.logical() * blockSize;
      long bytes = Math.min(extent.length() * blockSize, length - start);
      long physical = extent.physical() * blockSize;
      long[] last = runs.isEmpty() ? new long[] {-1, 0} : runs.get(runs.size() - 1);
      if (bytes > 0 && last[0] + last[1] == physical) {
        last[1] += bytes;
      } else if (bytes > 0) {
        runs.add(new long[] {physical, bytes});
      }
    }
    return ExtentList.of(
        runs.stream().mapToLong(run -> run[0]).toArray(),
        runs.stream().mapToLong(run -> run[1]).toArray());
  }
}
