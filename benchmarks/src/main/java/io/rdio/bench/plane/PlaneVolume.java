// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.Ext4Superblock;
import io.rdio.core.ext4.Ext4Volume;
import io.rdio.core.ext4.MountRecord;
import io.rdio.hdfs.cluster.LoopVolume;
import io.rdio.hdfs.cluster.Shell;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A DataNode's volume without a DataNode: ext4 on a loop device in memory, with the directories,
 * the mount record and the blocks that a DataNode with RDIO's plugin would have written.
 *
 * <p>It is read by the file behind the loop device, which another host's view of a namespace is
 * most like: a read of the node would have the kernel write its metadata home first.
 */
final class PlaneVolume implements AutoCloseable {
  static final int BLOCK_BYTES = 4096;

  /** Ids of blocks in one directory of HDFS. */
  static final int IDS_IN_DIRECTORY = 256;

  private static final long BYTES = 256L << 20;
  private static final String STORAGE = "DS-plane";
  private static final String STORAGE_PATH = "data";
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final long FIRST_ID = 1L << 30;
  private static final long STAMP = 1001;
  private static final int CHUNK = 512;
  private static final int META_HEADER = 7;
  private static final byte CRC32C = 2;

  private final LoopVolume volume;

  PlaneVolume() throws IOException {
    volume = LoopVolume.create("ext4", BYTES, LoopVolume.Backing.TMPFS);
    try {
      Path storage = Files.createDirectories(volume.mountPoint().resolve(STORAGE_PATH));
      Files.createDirectories(storage.resolve("current"));
      Files.writeString(
          storage.resolve("current/VERSION"),
          "storageID=" + STORAGE + "\nstorageType=DATA_NODE\nlayoutVersion=-57\n");
      writeRecord(storage.resolve(MountRecord.PATH));
    } catch (IOException | RuntimeException e) {
      volume.close();
      throw e;
    }
  }

  /** In a later second than that of the mount, or it would not count. */
  private void writeRecord(Path file) throws IOException {
    Path node = Objects.requireNonNull(Path.of(volume.device()).getFileName());
    List<String> options = Files.readAllLines(Path.of("/proc/fs/ext4", node.toString(), "options"));
    Ext4Superblock superblock = superblock();
    while (nowSeconds() <= superblock.mount().mountedSeconds() + 1) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    MountRecord record =
        new MountRecord(STORAGE, superblock.uuid(), nowSeconds(), "benchmark", options);
    Path folder = Files.createDirectories(Objects.requireNonNull(file.getParent()));
    write(file, ByteBuffer.wrap(record.encode()));
    sync(folder);
  }

  private static long nowSeconds() {
    return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
  }

  private Ext4Superblock superblock() throws IOException {
    try {
      return Ext4Volume.open(device()).superblock();
    } catch (Ext4Exception e) {
      throw new IOException(e);
    }
  }

  /** Another host's view of the device. */
  BlockDevice device() throws IOException {
    try {
      return NamedDevice.open(volume.image());
    } catch (FallbackException e) {
      throw new IOException(e);
    }
  }

  /** The block of that number, whether it exists or not. */
  static BlockKey key(int number) {
    return new BlockKey(POOL, FIRST_ID + number, STAMP);
  }

  /** Where a block's file lies, from the file system's root. */
  static String path(BlockKey block) {
    long id = block.blockId();
    return "%s/current/%s/current/finalized/subdir%d/subdir%d/blk_%d"
        .formatted(STORAGE_PATH, block.poolId(), id >> 16 & 31, id >> 8 & 31, id);
  }

  /** Writes a block and its meta file as finalized ones; not durably. */
  void create(BlockKey block) throws IOException {
    Path file = file(block);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    write(file, ByteBuffer.allocate(BLOCK_BYTES));
    ByteBuffer meta = ByteBuffer.allocate(META_HEADER + Integer.BYTES * (BLOCK_BYTES / CHUNK));
    write(meta(file), meta.putShort(0, (short) 1).put(2, CRC32C).putInt(3, CHUNK));
  }

  /** Writes one and has it committed: fsync of both files, then of their directory. */
  void createDurably(BlockKey block) throws IOException {
    create(block);
    sync(file(block));
    sync(meta(file(block)));
    sync(Objects.requireNonNull(file(block).getParent()));
  }

  /** Writes all back, metadata too. */
  void writeBack() throws IOException {
    Shell.run("sync", "-f", volume.mountPoint().toString());
  }

  private Path file(BlockKey block) {
    return volume.mountPoint().resolve(path(block));
  }

  private static Path meta(Path file) {
    return file.resolveSibling(file.getFileName() + "_" + STAMP + ".meta");
  }

  private static void write(Path file, ByteBuffer bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public void close() {
    volume.close();
  }
}
