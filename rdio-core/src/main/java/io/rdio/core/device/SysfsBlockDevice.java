// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A disk or partition as sysfs describes it; all of it readable by any user.
 *
 * @param name the kernel's name
 * @param sizeBytes 0 where there is no medium
 * @param disk name of the whole disk; {@code name} itself if it is one
 * @param startBytes where it starts on the whole disk
 * @param wwid of the whole disk, "" where it has none
 * @param kind what stands between it and a disk ("dm", "md", "bcache", …); "" for a plain disk or
 *     partition
 * @param holders names of devices stacked on it, for example of LVM
 * @param hidden true for a path device of an NVMe multipath head, which has no node
 * @param dmaAlignment bytes that buffer addresses should be multiples of
 */
public record SysfsBlockDevice(
    String name,
    long sizeBytes,
    String disk,
    long startBytes,
    String wwid,
    String kind,
    List<String> holders,
    boolean hidden,
    int dmaAlignment) {
  private static final int SECTOR_BYTES = 512;

  // Disks that exist on this host alone, or copies of a disk: recognised by the driver's name.
  private static final List<String> UNSUPPORTED_DRIVERS =
      List.of("ram", "zram", "drbd", "sr", "fd");

  /** True for a partition, false for a whole disk. */
  boolean isPartition() {
    return !name.equals(disk);
  }

  /** Its node, where udev or devtmpfs put it. */
  public Path node(Path devfs) {
    // The kernel's own rule for names of drivers that have a directory under /dev.
    return devfs.resolve(name.replace('!', '/'));
  }

  /** Every block device of this host, by name. Those that vanish meanwhile are left out. */
  public static List<SysfsBlockDevice> list(Path sysfs) throws IOException {
    List<SysfsBlockDevice> devices = new ArrayList<>();
    for (String name : names(sysfs.resolve("class/block"))) {
      readUnlessGone(sysfs.resolve("class/block").resolve(name)).ifPresent(devices::add);
    }
    return devices;
  }

  /**
   * The device with a number, whatever its node is called.
   *
   * @param dev as in {@code st_dev} of a file or {@code st_rdev} of a node
   */
  public static SysfsBlockDevice ofNumbers(Path sysfs, long dev) throws IOException {
    return read(sysfs.resolve("dev/block").resolve(major(dev) + ":" + minor(dev)));
  }

  /**
   * The hidden disks, one for each path, by which native multipath reaches an NVMe namespace; empty
   * where the kernel does not do that.
   *
   * @param wwid of the namespace
   * @return their folders, by name
   * @throws IOException also if one goes meanwhile
   */
  public static List<Path> paths(Path sysfs, String wwid) throws IOException {
    List<Path> paths = new ArrayList<>();
    try (DirectoryStream<Path> disks =
        Files.newDirectoryStream(sysfs.resolve("class/block"), "nvme*c*n*")) {
      for (Path disk : disks) {
        if (Files.readString(disk.resolve("wwid"), ISO_8859_1).trim().equals(wwid)) {
          paths.add(disk);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    Collections.sort(paths);
    return paths;
  }

  /** Major number of a dev_t in glibc's encoding; 0 for anonymous devices. */
  public static int major(long dev) {
    return (int) ((dev >>> 8 & 0xFFF) | (dev >>> 32 & 0xFFFFF000L));
  }

  /** Minor number of a dev_t in glibc's encoding. */
  public static int minor(long dev) {
    return (int) ((dev & 0xFF) | (dev >>> 12 & 0xFFFFFF00L));
  }

  private static Optional<SysfsBlockDevice> readUnlessGone(Path link) {
    try {
      return Optional.of(read(link));
    } catch (IOException e) {
      // Unplugged since it was listed, and so no candidate for anything.
      return Optional.empty();
    }
  }

  private static SysfsBlockDevice read(Path link) throws IOException {
    Path directory = link.toRealPath();
    boolean partition = Files.exists(directory.resolve("partition"));
    Path disk = partition ? parent(directory) : directory;
    String name = fileName(directory);
    return new SysfsBlockDevice(
        name,
        sectors(directory.resolve("size")),
        fileName(disk),
        partition ? sectors(directory.resolve("start")) : 0,
        firstText(disk.resolve("wwid"), disk.resolve("device/wwid")),
        kind(disk),
        names(directory.resolve("holders")),
        number(disk.resolve("hidden"), 0) != 0,
        dmaAlignment(disk));
  }

  private static String kind(Path disk) throws IOException {
    for (String stacked : List.of("dm", "md", "bcache")) {
      if (Files.isDirectory(disk.resolve(stacked))) {
        return stacked;
      }
    }
    String driver = fileName(disk).replaceFirst("[0-9].*", "");
    if (UNSUPPORTED_DRIVERS.contains(driver)) {
      return driver;
    }
    List<String> slaves = names(disk.resolve("slaves"));
    return slaves.isEmpty() ? "" : "stacked on " + String.join(", ", slaves);
  }

  // The queue file has a mask (address & mask must be 0); kernels before 6.0 do not have it.
  private static int dmaAlignment(Path disk) throws IOException {
    long mask = number(disk.resolve("queue/dma_alignment"), 511);
    return (int) Math.max(0, Math.min(4095, mask)) + 1;
  }

  private static List<String> names(Path directory) throws IOException {
    List<String> names = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        entries.forEach(entry -> names.add(fileName(entry)));
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
    }
    Collections.sort(names);
    return names;
  }

  /** A number of sectors in bytes. */
  private static long sectors(Path file) throws IOException {
    long sectors = number(file, 0);
    if (sectors < 0 || sectors > Long.MAX_VALUE / SECTOR_BYTES) {
      throw new IOException(file + " holds " + sectors + ", which is no number of sectors");
    }
    return sectors * SECTOR_BYTES;
  }

  private static long number(Path file, long absent) throws IOException {
    String text = firstText(file);
    try {
      return text.isEmpty() ? absent : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IOException(file + " holds \"" + text + "\" instead of a number", e);
    }
  }

  private static String firstText(Path... files) throws IOException {
    for (Path file : files) {
      if (Files.exists(file)) {
        // Some drivers put bytes there that are no UTF-8.
        return new String(Files.readAllBytes(file), ISO_8859_1).trim();
      }
    }
    return "";
  }

  private static Path parent(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IOException(path + " is not in a disk's directory");
    }
    return parent;
  }

  private static String fileName(Path path) {
    Path name = path.getFileName();
    return name == null ? path.toString() : name.toString();
  }
}
