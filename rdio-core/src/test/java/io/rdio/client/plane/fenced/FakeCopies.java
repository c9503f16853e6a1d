// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.plane.device.BlockPath;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.HostDevices;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.MemoryDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A folder that stands for the copies of a device in memory. Each file that is written here has a
 * sector for itself, or some.
 */
final class FakeCopies implements MetadataCopies {
  private static final int SECTOR = 512;
  private static final int SECTORS = 1 << 12;

  final UUID uuid = new UUID(1, 2);
  private final Path root;
  private final byte[] medium = new byte[SECTORS * SECTOR];
  private final MemoryDevice device = new MemoryDevice(medium, SECTOR);
  private final Map<Path, Integer> places = new HashMap<>();
  private int next = 1;
  private @Nullable String unable;
  private @Nullable String failure;
  private Consumer<Path> making = node -> {};
  private int made;
  private int open;

  FakeCopies(Path root) {
    this.root = root;
  }

  /** The device. */
  HostDevices.Opened device() {
    return new HostDevices.Opened(device, device);
  }

  void write(String path, byte[] bytes) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    places.put(file, next);
    System.arraycopy(bytes, 0, medium, next * SECTOR, bytes.length);
    next += bytes.length / SECTOR + 1;
  }

  /** A storage of a DataNode with one replica in it. */
  void storage(String path, String id) throws IOException {
    write(
        path + "/current/VERSION",
        ("storageID=" + id + "\nlayoutVersion=-57\nstorageType=DATA_NODE\n").getBytes(UTF_8));
  }

  /** One of {@code bytes} bytes, with checksums of 512 each. */
  void replica(String storage, String pool, long id, long stamp, int bytes) throws IOException {
    String folder = storage + "/current/" + pool + "/current/finalized/subdir0/subdir0/blk_" + id;
    write(folder, new byte[bytes]);
    ByteBuffer meta = ByteBuffer.allocate(7 + 4 * ((bytes + SECTOR - 1) / SECTOR));
    meta.putShort((short) 1).put((byte) 2).putInt(SECTOR);
    write(folder + "_" + stamp + ".meta", meta.array());
  }

  /** One of some bytes, by which they can be verified. */
  void replica(String storage, BlockKey block, byte[] bytes) throws IOException, FallbackException {
    String folder = storage + "/" + BlockPath.directory(block) + "/";
    write(folder + BlockPath.blockFile(block), bytes);
    write(folder + BlockPath.metaFile(block), meta(bytes));
  }

  /** A meta file of HDFS: CRC32C of each 512 bytes. */
  static byte[] meta(byte[] bytes) {
    int chunks = (bytes.length + SECTOR - 1) / SECTOR;
    ByteBuffer meta = ByteBuffer.allocate(7 + 4 * chunks);
    meta.putShort((short) 1).put((byte) 2).putInt(SECTOR);
    for (int at = 0; at < bytes.length; at += SECTOR) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, Math.min(SECTOR, bytes.length - at));
      meta.putInt((int) crc.getValue());
    }
    return meta.array();
  }

  /** The user that the folder is of. */
  int owner() throws IOException {
    return (Integer) Files.getAttribute(root, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  /** None can be made here, or again. */
  void unable(@Nullable String why) {
    unable = why;
  }

  /** Making one fails, or works again. */
  void fail(@Nullable String why) {
    failure = why;
  }

  /** What happens while one is made. */
  void whileMaking(Consumer<Path> happens) {
    making = happens;
  }

  int made() {
    return made;
  }

  int open() {
    return open;
  }

  /** Where a file lies on the device. */
  long place(String path) {
    return (long) places.get(root.resolve(path)) * SECTOR;
  }

  @Override
  public void requireAble() throws IOException {
    String why = unable;
    if (why != null) {
      throw new IOException(why);
    }
  }

  @Override
  public Copy of(Path node) throws IOException {
    making.accept(node);
    String why = failure;
    if (why != null) {
      throw new IOException(why);
    }
    made++;
    open++;
    return new FakeCopy();
  }

  private void closed() {
    open--;
  }

  private final class FakeCopy implements Copy {
    private boolean isOpen = true;

    @Override
    public Path root() {
      return root;
    }

    @Override
    public UUID fileSystem() {
      return uuid;
    }

    @Override
    public ExtentList extents(Path file, long length) throws IOException {
      Integer place = places.get(file);
      if (place == null) {
        throw new IOException(file + " has no place");
      }
      long bytes = (length + SECTOR - 1) / SECTOR * SECTOR;
      return ExtentList.of(new long[] {(long) place * SECTOR}, new long[] {bytes});
    }

    @Override
    public void close() {
      if (isOpen) {
        isOpen = false;
        closed();
      }
    }
  }
}
