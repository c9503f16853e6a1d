// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.plane.device.BlockPath;
import io.rdio.client.plane.device.StorageOwners;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.HostDevices;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.linux.Fiemap;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.LoopFileSystem;
import io.rdio.core.testing.Requirements;
import io.rdio.core.time.BootTimeClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of an xfs whose writer was cut off: each file is where the kernel finds it that replays
 * the log of the whole device.
 */
@Tag("loop")
final class XfsCopiesIT {
  private static final long SEED = 20261128;
  private static final boolean ALL = Boolean.getBoolean("rdio.test.all");
  private static final int KEPT_MAX = ALL ? 12_000 : 3000;
  private static final int BLOCKS = 40;

  /** The log, of 64 MiB, goes round once, or several times: then trees at home are far behind. */
  private static final int FILES = ALL ? 160_000 : 22_000;

  private static final int SYNC_EVERY = 5;

  @TempDir Path directory;

  @BeforeEach
  void requireTools() throws IOException {
    Requirements.requireLoop("xfs");
    Requirements.requireTool("xfs_metadump");
    Requirements.requireTool("xfs_logprint");
  }

  private XfsCopies copies() {
    return new XfsCopies(directory.resolve("copies"), new BootTimeClock());
  }

  /** As its writer left it that was cut off: the log is full of what is not at home. */
  static LoopDevice cutOff(LoopFileSystem fs, Path image, String... losetup) throws IOException {
    Path backing = Path.of(Command.run("losetup", "-n", "-O", "BACK-FILE", fs.device().toString()));
    Command.run("cp", "--sparse=always", backing.toString(), image.toString());
    return LoopDevice.attach(image, losetup);
  }

  static void write(Path file, byte[] bytes, boolean sync) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      if (sync) {
        channel.force(true);
      }
    }
  }

  /** Makes and deletes small files in many directories, so that the log goes round. */
  private static void churn(Path root, int files) throws IOException {
    Random random = new Random(SEED);
    List<Path> kept = new ArrayList<>();
    for (int i = 0; i < files; i++) {
      Path folder = root.resolve("d" + random.nextInt(8)).resolve("s" + i / 300);
      Files.createDirectories(folder);
      Path file = folder.resolve("f" + i);
      write(file, new byte[random.nextBoolean() ? 100 : 5000], i % SYNC_EVERY == 0);
      kept.add(file);
      if (kept.size() > KEPT_MAX) {
        Collections.swap(kept, random.nextInt(kept.size()), kept.size() - 1);
        Files.delete(kept.remove(kept.size() - 1));
      }
    }
  }

  /** Block files of known content, on space that others had before. */
  private static Map<String, byte[]> blocks(Path root) throws IOException {
    Random random = new Random(SEED);
    Map<String, byte[]> blocks = new LinkedHashMap<>();
    Path folder = Files.createDirectories(root.resolve("blocks"));
    for (int i = 0; i < BLOCKS; i++) {
      byte[] bytes = new byte[1 + random.nextInt(300_000)];
      random.nextBytes(bytes);
      write(folder.resolve("blk_" + i), bytes, true);
      blocks.put("blocks/blk_" + i, bytes);
      if (i % 4 == 3) { // its space is the next one's
        Files.delete(folder.resolve("blk_" + (i - 1)));
        blocks.remove("blocks/blk_" + (i - 1));
      }
    }
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
    return blocks;
  }

  /** Where each file lies that has a place for all of its bytes. */
  private static Map<String, String> places(Path root) throws IOException {
    Map<String, String> places = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.toList()) {
        places.put(root.relativize(file).toString(), place(file));
      }
    }
    return places;
  }

  private static String place(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return "directory";
    }
    try {
      return Files.size(file) + " bytes: " + Fiemap.extents(file, Files.size(file));
    } catch (FallbackException e) {
      return Files.size(file) + " bytes, " + e.reason();
    }
  }

  private static byte[] read(Path image, ExtentList extents, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(image, StandardOpenOption.READ)) {
      for (int i = 0; i < extents.count() && bytes.hasRemaining(); i++) {
        long extent = extents.end(i) - extents.start(i);
        int end = (int) Math.min(length, bytes.position() + extent);
        long at = extents.physical(i);
        bytes.limit(end);
        while (bytes.hasRemaining()) {
          at += channel.read(bytes, at);
        }
        bytes.limit(length);
      }
    }
    return bytes.array();
  }

  @Test
  void filesAreWhereTheKernelFindsThemThatHasAllOfTheDevice() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      churn(fs.mountPoint(), FILES);
      Map<String, byte[]> blocks = blocks(fs.mountPoint());
      Path image = directory.resolve("device.img");
      try (LoopDevice device = cutOff(fs, image, "--read-only")) {
        Map<String, String> live = new TreeMap<>();
        for (String block : blocks.keySet()) {
          live.put(block, place(fs.mountPoint().resolve(block)));
        }
        String before = Command.run("md5sum", image.toString());
        Map<String, String> copied;
        try (MetadataCopies.Copy copy = copies().of(device.node())) {
          copied = places(copy.root());
          assertThat(copy.fileSystem()).isEqualTo(fs.uuid());
          for (Map.Entry<String, byte[]> block : blocks.entrySet()) {
            int length = block.getValue().length;
            ExtentList extents = copy.extents(copy.root().resolve(block.getKey()), length);
            assertThat(read(image, extents, length)).isEqualTo(block.getValue());
          }
        }
        assertThat(Command.run("md5sum", image.toString())).isEqualTo(before);
        assertThat(copied).containsAllEntriesOf(live);
        assertThat(copied).isEqualTo(replayed(image));
        assertThat(copied).hasSizeGreaterThan(KEPT_MAX);
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }

  /** The kernel's own replay on a copy of all of the device. */
  private Map<String, String> replayed(Path image) throws IOException {
    Path whole = directory.resolve("whole.img");
    Command.run("cp", "--sparse=always", image.toString(), whole.toString());
    try (LoopDevice loop = LoopDevice.attach(whole);
        LoopFileSystem fs = LoopFileSystem.existing(loop.node(), "ro,nouuid")) {
      return places(fs.mountPoint());
    } finally {
      Files.delete(whole);
    }
  }

  /** On a storage {@code DS-1}, as a DataNode has it. */
  private static void writeReplica(Path storage, BlockKey key, byte[] block)
      throws IOException, FallbackException {
    Path current = Files.createDirectories(storage.resolve("current"));
    String version = "storageID=DS-1\nlayoutVersion=-57\nstorageType=DATA_NODE\n";
    write(current.resolve("VERSION"), version.getBytes(UTF_8), true);
    Path folder = Files.createDirectories(storage.resolve(BlockPath.directory(key)));
    write(folder.resolve(BlockPath.blockFile(key)), block, true);
    ByteBuffer meta = ByteBuffer.allocate(7 + 4 * ((block.length + 511) / 512));
    meta.putShort((short) 1).put((byte) 2).putInt(512);
    write(folder.resolve(BlockPath.metaFile(key)), meta.array(), true);
  }

  @Test
  void blockOfDeadDataNodeIsReadByTheFencedDevice() throws Exception {
    byte[] block = new byte[100_000];
    new Random(SEED).nextBytes(block);
    BlockKey key = new BlockKey("BP-1-127.0.0.1-1", 1, 1001);
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      writeReplica(fs.mountPoint().resolve("data"), key, block);
      Path image = directory.resolve("device.img");
      try (LoopDevice device = cutOff(fs, image, "--read-only")) {
        FakeFences fences = new FakeFences(device.node());
        FencedVolume.Means means =
            new FencedVolume.Means(
                new FenceLooks(fences, Duration.ZERO),
                copies(),
                new HostDevices(Map.of(), Duration.ofSeconds(10))::open,
                new StorageOwners(Set.of()));
        FencedVolume volume = FencedVolume.open(device.node(), means);
        try {
          assertThat(volume.storages())
              .extracting(CopiedStorages.Found::storageId)
              .containsExactly("DS-1");
          FencedVolume.Replica replica = volume.find(volume.storages().get(0), key);
          assertThat(replica.blockLength()).isEqualTo(block.length);
          assertThat(read(image, replica.blockExtents(), block.length)).isEqualTo(block);
          volume.requireStanding();
          fences.undo("given back");
          assertThatThrownBy(volume::requireStanding).hasMessageContaining("given back");
        } finally {
          volume.close();
        }
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }

  @Test
  void whatHasNoChecksumsIsRefused() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("ext4")) {
      Path image = directory.resolve("device.img");
      try (LoopDevice device = cutOff(fs, image)) {
        assertThatThrownBy(() -> copies().of(device.node()))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("no xfs of version 5");
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }

  @Test
  void damagedMetadataIsNoCopy() throws Exception {
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      blocks(fs.mountPoint());
      Path image = directory.resolve("device.img");
      try (LoopDevice device = cutOff(fs, image);
          FileChannel channel = FileChannel.open(image, StandardOpenOption.WRITE)) {
        // The first allocation group's headers, behind the superblock.
        channel.write(ByteBuffer.allocate(3 * 512), 512);
        channel.force(true);
        assertThatThrownBy(() -> copies().of(device.node())).isInstanceOf(IOException.class);
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }

  private static boolean isAttached(Path image) throws IOException {
    return Command.run("losetup", "--list", "--noheadings", "--output", "BACK-FILE")
        .contains(image.toString());
  }

  /** At once, or as soon as udev has closed it. */
  private static void awaitDetached(Path image) throws IOException {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (isAttached(image)) {
      assertThat(System.nanoTime() - deadline).as("%s is still attached", image).isNegative();
      LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
    }
  }

  /** As it is left where the program is killed when it has just attached an image. */
  @Test
  void loopDeviceThatAKilledProgramLeftIsDetached() throws Exception {
    Path folder = Files.createDirectories(directory.resolve("copies/copy-new-1")).toRealPath();
    Path image = Files.write(folder.resolve("image"), new byte[1 << 20]);
    String node = Command.run("losetup", "--find", "--show", image.toString());
    try (LoopFileSystem fs = LoopFileSystem.create("xfs");
        LoopDevice device = cutOff(fs, directory.resolve("device.img"))) {
      assertThat(isAttached(image)).isTrue();
      MetadataCopies.Copy copy = copies().of(device.node());
      copy.close();
      assertThat(folder).doesNotExist();
      awaitDetached(image);
    } finally {
      if (isAttached(image)) {
        Command.run("losetup", "--detach", node);
      }
    }
  }

  /** One that is interrupted in the midst may have attached it already. */
  @Test
  void interruptedThreadLeavesNoLoopDevice() throws Exception {
    Path image = Files.write(directory.toRealPath().resolve("image"), new byte[1 << 20]);
    Tools tools = new Tools(directory, new BootTimeClock(), Duration.ofMinutes(5).toNanos());
    boolean interrupted = false;
    Loop attached;
    Thread.currentThread().interrupt();
    try {
      attached = Loop.of(tools, image);
    } finally {
      interrupted = Thread.interrupted();
    }
    assertThat(interrupted).isTrue();
    try (attached) {
      assertThat(isAttached(image)).isTrue();
    }
    awaitDetached(image);
  }

  @Test
  void whatAKilledProgramLeftIsRemoved() throws Exception {
    Path left = Files.createDirectories(directory.resolve("copies/copy-new-1/mount"));
    Files.write(left.resolveSibling("image"), new byte[100]);
    Command.run("mount", "-t", "tmpfs", "none", left.toString());
    try (LoopFileSystem fs = LoopFileSystem.create("xfs")) {
      try (LoopDevice device = cutOff(fs, directory.resolve("device.img"));
          MetadataCopies.Copy copy = copies().of(device.node());
          MetadataCopies.Copy second = copies().of(device.node())) {
        assertThat(left.getParent()).doesNotExist();
        assertThat(copy.root()).exists();
        assertThat(second.root()).exists();
      }
    }
    assertThat(directory.resolve("copies")).isEmptyDirectory();
  }
}
