// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import io.rdio.core.device.Superblock;
import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what compute nodes and the page cache know a loop device by: the NVMe namespace that
 * exports it (configfs), the file system on it, the file behind it (sysfs).
 */
public final class StorageDevices {
  private static final int PAGE_BYTES = 4096;
  private static final int READ_AHEAD_BYTES = 128 << 10;

  private final Path sysfs;

  /** Of this host. */
  public StorageDevices() {
    this(Path.of("/sys"));
  }

  StorageDevices(Path sysfs) {
    this.sysfs = sysfs;
  }

  /**
   * Looks at a loop device whose file is read and written by way of the page cache.
   *
   * @param number that descriptors are to name it by
   * @param named the file behind it; null takes the one that the kernel names, whose path may mean
   *     nothing here if it was attached in another mount namespace
   * @throws IOException with the fix, if it is none, or if compute nodes could not recognise it
   */
  public StorageDevice find(int number, Path node, @Nullable Path named) throws IOException {
    SysfsBlockDevice device = device(node);
    Path loop = sysfs.resolve("class/block").resolve(device.name()).resolve("loop");
    if (!Files.isDirectory(loop)) {
      throw new IOException(
          node
              + " is no loop device with a file: the page cache store serves a namespace over one"
              + " ('losetup --find --show FILE')");
    }
    if (!text(loop.resolve("dio")).equals("0")) {
      throw new IOException(
          node + " goes round the page cache (direct I/O): 'losetup --direct-io=off " + node + "'");
    }
    Path file = named != null ? named : Path.of(text(loop.resolve("backing_file")));
    long offset = Long.parseLong(text(loop.resolve("offset")));
    check(node, file, offset, device.sizeBytes());
    NvmetNamespace namespace = NvmetNamespace.of(sysfs.resolve("kernel/config/nvmet"), node);
    String fsUuid = superblock(file, offset).map(s -> s.uuid().toString()).orElse("");
    if (namespace.uuid().isEmpty() && namespace.wwid().isEmpty() && fsUuid.isEmpty()) {
      throw new IOException(
          "compute nodes could not tell "
              + node
              + " from others: no NVMe namespace exports it and"
              + " it has neither ext4 nor xfs; make the file system, or export it, first");
    }
    return new StorageDevice(
        number,
        node,
        kernelNumber(node),
        device.sizeBytes(),
        file,
        offset,
        readAheadBytes(file),
        namespace.uuid(),
        namespace.wwid(),
        fsUuid);
  }

  private SysfsBlockDevice device(Path node) throws IOException {
    if (!Files.exists(node)) {
      throw new IOException(node + ": no such device");
    }
    try {
      return SysfsBlockDevice.ofNumbers(sysfs, (Long) Files.getAttribute(node, "unix:rdev"));
    } catch (NoSuchFileException e) {
      throw new IOException(node + " is not a block device: name one like /dev/loop0", e);
    }
  }

  private static void check(Path node, Path file, long offset, long bytes) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          file
              + ", the file behind "
              + node
              + ", is not found here: name it, --device "
              + node
              + ":FILE");
    }
    if (Files.size(file) < offset + bytes) {
      throw new IOException(
          file
              + " has "
              + Files.size(file)
              + " bytes, too few to be behind "
              + node
              + ", which has "
              + bytes
              + " from "
              + offset
              + " on");
    }
    if (offset % PAGE_BYTES != 0) {
      throw new IOException(
          node
              + " begins at "
              + offset
              + " of "
              + file
              + ", within a page: its blocks cannot be"
              + " let go of one by one; attach it at a multiple of 4096");
    }
  }

  private static int kernelNumber(Path node) throws IOException {
    long rdev = (Long) Files.getAttribute(node, "unix:rdev");
    return SysfsBlockDevice.major(rdev) << 20 | SysfsBlockDevice.minor(rdev);
  }

  /** As the kernel sets it for files on that disk; its default where that cannot be found out. */
  private long readAheadBytes(Path file) throws IOException {
    long dev = (Long) Files.getAttribute(file, "unix:dev");
    if (SysfsBlockDevice.major(dev) == 0) {
      return READ_AHEAD_BYTES; // a file system without a disk of its own: tmpfs, btrfs
    }
    String disk = SysfsBlockDevice.ofNumbers(sysfs, dev).disk();
    Path setting = sysfs.resolve("class/block").resolve(disk).resolve("bdi/read_ahead_kb");
    return Files.exists(setting) ? Long.parseLong(text(setting)) << 10 : READ_AHEAD_BYTES;
  }

  /** Through the file, which has what the loop device shows. */
  private static Optional<Superblock> superblock(Path file, long offset) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(Superblock.PROBE_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (start.hasRemaining() && channel.read(start, offset + start.position()) > 0) {
        // A short read is followed by another one, until the end of the file.
      }
    }
    return Superblock.parse(start.flip());
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file).trim();
  }

  /**
   * Of the kernel's NVMe target.
   *
   * @param wwid as the initiator's sysfs shows it
   */
  private record NvmetNamespace(String uuid, String wwid) {
    private static final NvmetNamespace NONE = new NvmetNamespace("", "");
    private static final String NIL = "00000000-0000-0000-0000-000000000000";

    /** The one that exports a device; {@link #NONE} if none does. */
    static NvmetNamespace of(Path nvmet, Path node) throws IOException {
      Path subsystems = nvmet.resolve("subsystems");
      if (!Files.isDirectory(subsystems)) {
        return NONE;
      }
      try (DirectoryStream<Path> list = Files.newDirectoryStream(subsystems)) {
        for (Path subsystem : list) {
          NvmetNamespace found = in(subsystem.resolve("namespaces"), node);
          if (!found.equals(NONE)) {
            return found;
          }
        }
      }
      return NONE;
    }

    private static NvmetNamespace in(Path namespaces, Path node) throws IOException {
      try (DirectoryStream<Path> list = Files.newDirectoryStream(namespaces)) {
        for (Path namespace : list) {
          Path exported = Path.of(text(namespace.resolve("device_path")));
          if (Files.exists(exported) && exported.toRealPath().equals(node.toRealPath())) {
            return of(namespace);
          }
        }
      }
      return NONE;
    }

    private static NvmetNamespace of(Path namespace) throws IOException {
      String uuid = text(namespace.resolve("device_uuid"));
      String nguid = text(namespace.resolve("device_nguid"));
      if (!uuid.equals(NIL)) {
        return new NvmetNamespace(uuid, "uuid." + uuid);
      }
      return nguid.equals(NIL) ? NONE : new NvmetNamespace("", "eui." + nguid.replace("-", ""));
    }
  }
}
