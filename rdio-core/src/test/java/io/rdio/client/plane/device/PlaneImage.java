// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Image;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.FileExtent;
import io.rdio.core.ext4.Inode;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.ext4.journal.Journal;
import io.rdio.core.ext4.journal.LogImage;
import io.rdio.core.testing.Command;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A DataNode's volume in memory, with one block and transactions in its log by hand. What is
 * committed is on the image's file; readers see it after {@link #show}.
 */
final class PlaneImage {
  static final String STORAGE = "DS-one";
  static final BlockKey BLOCK = new BlockKey("BP-1", 1, 1001);
  static final String DIRECTORY = "/data/current/BP-1/current/finalized/subdir0/subdir0";
  static final String BLOCK_FILE = DIRECTORY + "/blk_1";
  static final String META_FILE = DIRECTORY + "/blk_1_1001.meta";
  static final int BLOCK_BYTES = 8000;

  /** The file system, and when the record of its mount was made. */
  static final UUID FS = UUID.fromString("00000000-0000-4000-8000-000000000001");

  static final long MADE = 1_700_000_000L;

  private static final List<String> FIT = List.of("rw", "barrier", "data=ordered");
  private static final String FILE = "image";
  private static final int FS_BLOCK = 1024;
  private static final int CHUNK = 512;
  private static final int HEADER = 7;

  private final Path work;
  private final LogImage log;
  private final byte[] bytes;
  private final MemoryDevice device;

  /**
   * @param work an empty directory
   * @param options mount options that the record has
   */
  PlaneImage(Path work, List<String> options) throws IOException {
    this(work, options, "16M");
  }

  private PlaneImage(Path work, List<String> options, String size) throws IOException {
    this.work = work;
    Path root = Files.createDirectory(work.resolve("content"));
    write(root, "/data/current/VERSION", version(-57).getBytes(UTF_8));
    write(root, "/data/" + MountRecord.PATH, record(FS, MADE, options).encode());
    write(root, BLOCK_FILE, filled('b', BLOCK_BYTES));
    write(root, META_FILE, meta(BLOCK_BYTES));
    write(root, "/other/file", filled('o', 3000));
    Path file = work.resolve(FILE);
    String format = "-t ext4 -b " + FS_BLOCK + " -J size=1 -U " + FS;
    this.log = new LogImage(Ext4Image.make(file, root, size, format), FS_BLOCK, "jo -c");
    change("sif /data/" + MountRecord.PATH + " crtime @" + MADE);
    log.checked();
    log.commit("mkdir /first");
    this.bytes = log.bytes();
    this.device = new MemoryDevice(bytes, 512);
  }

  static PlaneImage fit(Path work) throws IOException {
    return new PlaneImage(work, FIT);
  }

  /** One of 8 MiB, on a device that has room for twice as much. */
  static PlaneImage small(Path work) throws IOException {
    Files.write(work.resolve(FILE), new byte[16 << 20]); // which mke2fs leaves as long as it is
    return new PlaneImage(work, FIT, "8M");
  }

  /** Grows the file system to the device's size, as resize2fs does. */
  void grow() throws IOException {
    Command.run("resize2fs", "-f", log.file().toString());
  }

  static MountRecord record(UUID fileSystem, long made, List<String> options) {
    return record(STORAGE, fileSystem, made, options);
  }

  static MountRecord record(String storage, UUID fileSystem, long made, List<String> options) {
    return new MountRecord(storage, fileSystem, made, "Linux", options);
  }

  static String version(int layout) {
    return "#Tue Nov 24\nstorageID="
        + STORAGE
        + "\nstorageType=DATA_NODE\nlayoutVersion="
        + layout
        + "\n";
  }

  static byte[] filled(char with, int count) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }

  /** A meta file that fits a block of some length; its CRCs are never looked at here. */
  static byte[] meta(int blockBytes) {
    int chunks = (blockBytes + CHUNK - 1) / CHUNK;
    ByteBuffer meta = ByteBuffer.allocate(HEADER + Integer.BYTES * chunks);
    return meta.putShort((short) 1).put((byte) 2).putInt(CHUNK).array();
  }

  private static void write(Path root, String path, byte[] content) throws IOException {
    Path file = root.resolve(path.substring(1));
    Files.createDirectories(file.getParent());
    Files.write(file, content);
  }

  /** Who made it, and so whom all its files belong to. */
  static StorageOwners owners() {
    try {
      Path mine = Files.createTempFile("mine", "");
      StorageOwners owners =
          new StorageOwners(Set.of((Integer) Files.getAttribute(mine, "unix:uid")));
      Files.delete(mine);
      return owners;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** It as a device that was not opened yet. */
  LocalVolumes.Candidate candidate() {
    return candidate("image", device);
  }

  static LocalVolumes.Candidate candidate(String name, BlockDevice device) {
    return new LocalVolumes.Candidate() {
      @Override
      public String key() {
        return name;
      }

      @Override
      public LocalVolumes.Opened open() {
        return new LocalVolumes.Opened(device, device);
      }
    };
  }

  MemoryDevice device() {
    return device;
  }

  /** A file outside, whose path requests of debugfs may name. */
  Path outside(byte[] content) throws IOException {
    Path file = Files.createTempFile(work, "outside", "");
    return Files.write(file, content);
  }

  /** Commits what requests of debugfs change. */
  void commit(String... requests) throws IOException {
    log.commit(requests);
  }

  /**
   * Has the block file in so many pieces that its inode has no room for them.
   *
   * @return the file system's block where they are then
   */
  int breakToPieces() throws IOException, Ext4Exception {
    long whole = blockExtents().get(0).physical();
    Path content = outside(filled('b', BLOCK_BYTES));
    checkpoint();
    Stream<String> taken = Stream.of(1, 3, 5, 7, 9).map(i -> "setb " + (whole + i));
    change("rm " + BLOCK_FILE);
    change(
        Stream.concat(taken, Stream.of("write " + content + " " + BLOCK_FILE))
            .toArray(String[]::new));
    log.commit("mkdir /second");
    show();
    assertThat(blockExtents()).hasSizeGreaterThan(4);
    Inode inode = volume().resolve(BLOCK_FILE);
    int at = (int) (inode.block() * FS_BLOCK + (inode.number() - 1) % 4 * 256);
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(at + 0x28 + 12 + 4);
  }

  private Ext4Volume volume() throws Ext4Exception {
    return Journal.over(Ext4Volume.open(device));
  }

  private List<FileExtent> blockExtents() throws Ext4Exception {
    Ext4Volume volume = volume();
    return volume.extents(volume.resolve(BLOCK_FILE));
  }

  /** Replays the log, and leaves it empty. */
  void checkpoint() throws IOException {
    log.checkpoint();
  }

  /** Changes the image past the journal. */
  void change(String... requests) throws IOException {
    new Ext4Image(log.file()).change(requests);
  }

  /** From now on the device has what was written. */
  void show() throws IOException {
    byte[] now = log.bytes();
    System.arraycopy(now, 0, bytes, 0, now.length);
  }

  /** Writes to the device itself, as one who was given some of its blocks. */
  void overwrite(long at, int count, char with) {
    Arrays.fill(bytes, (int) at, (int) at + count, (byte) with);
  }

  LogImage log() {
    return log;
  }

  byte[] bytes() {
    return bytes;
  }
}
