// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/**
 * A real file system on a real block device: an image file, a loop device on it, ext4 or xfs on
 * that, mounted. Needs root, and the tools losetup, mount, mkfs.ext4 and mkfs.xfs.
 */
public final class LoopVolume implements AutoCloseable {
  /** What holds the image. */
  public enum Backing {
    /** Memory (a tmpfs of its own): no disk in the figures. */
    TMPFS,
    /** The disk under the folder for temporary files. */
    DISK;

    /** For the daemons' and the clients' JVMs. */
    private static final long JVM_BYTES = 3L << 30;

    /**
     * Memory if a volume with so many bytes of files, and the JVMs, fit into what is free of it.
     */
    public static Backing preferredFor(long bytes) throws IOException {
      for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
        if (line.startsWith("MemAvailable:")) {
          long available = Long.parseLong(line.replaceAll("\\D", "")) * 1024;
          return available > bytes + bytes / 16 + JVM_BYTES ? TMPFS : DISK;
        }
      }
      return DISK;
    }
  }

  /** How long pages are waited for that somebody still has: sent by TCP, say, and not taken yet. */
  private static final Duration DROP_WAIT = Duration.ofSeconds(10);

  private static final Duration DROP_PAUSE = Duration.ofMillis(20);

  private final Path image;
  private final Path mountPoint;
  private final String device;
  private final String fileSystem;
  private final Teardown teardown;

  private LoopVolume(
      Path image, Path mountPoint, String device, String fileSystem, Teardown teardown) {
    this.image = image;
    this.mountPoint = mountPoint;
    this.device = device;
    this.fileSystem = fileSystem;
    this.teardown = teardown;
  }

  /**
   * Makes and mounts a volume in a temporary folder.
   *
   * @param fileSystem {@code ext4} or {@code xfs} (which needs 300 MB)
   * @param bytes size of the device; the image is sparse
   */
  public static LoopVolume create(String fileSystem, long bytes, Backing backing)
      throws IOException {
    Path folder = Files.createTempDirectory("rdio-volume-");
    Teardown teardown = Teardown.of(folder);
    try {
      return create(folder, fileSystem, bytes, backing, teardown);
    } catch (IOException e) {
      teardown.close();
      throw e;
    }
  }

  /**
   * A volume under {@code folder} that goes, also when making it fails, with this teardown; the
   * folder may lie on another volume of the same teardown.
   */
  public static LoopVolume create(
      Path folder, String fileSystem, long bytes, Backing backing, Teardown teardown)
      throws IOException {
    Path store = Files.createDirectories(folder.resolve("store"));
    Path mountPoint = Files.createDirectories(folder.resolve("mount"));
    if (backing == Backing.TMPFS) {
      teardown.hideLater(store); // whoever has the loop device open uses its image
      Shell.run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "rdio", store.toString());
    }
    Path image = store.resolve("image");
    setLength(image, bytes);
    teardown.detachLater(image);
    String device = Shell.run("losetup", "--find", "--show", image.toString());
    if (backing == Backing.DISK) {
      bypassCacheOfImage(device);
    }
    switch (fileSystem) {
      // Left to itself mkfs.ext4 takes blocks of 1 KiB below 512 MB, which is what no real volume
      // has, and where pages lie across the 4 KiB blocks that PrefCache counts in.
      case "ext4" -> Shell.run("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", device);
      case "xfs" -> Shell.run("mkfs.xfs", "-q", "-f", device);
      default -> throw new IOException("file system " + fileSystem + ": take ext4 or xfs");
    }
    teardown.unmountLater(mountPoint);
    Shell.run("mount", "-t", fileSystem, device, mountPoint.toString());
    return new LoopVolume(image, mountPoint, device, fileSystem, teardown);
  }

  private static void setLength(Path image, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  /**
   * Makes the device larger, and then its file system, as an administrator does while it is
   * mounted.
   *
   * @param bytes the device's new size
   */
  public void grow(long bytes) throws IOException {
    Path store = Objects.requireNonNull(image.getParent());
    if (Shell.run("stat", "-f", "-c", "%T", store.toString()).strip().equals("tmpfs")) {
      Shell.run("mount", "-o", "remount,size=" + bytes, store.toString());
    }
    setLength(image, bytes);
    Shell.run("losetup", "--set-capacity", device);
    switch (fileSystem) {
      case "ext4" -> Shell.run("resize2fs", device);
      case "xfs" -> Shell.run("xfs_growfs", mountPoint.toString());
      default -> throw new IllegalStateException(fileSystem);
    }
  }

  /** Else the image's own page cache would answer after {@link #dropPageCache}. */
  private static void bypassCacheOfImage(String device) {
    try {
      Shell.run("losetup", "--direct-io=on", device);
    } catch (IOException unsupported) {
      // The file system under the image has no direct I/O: correct all the same, only faster.
    }
  }

  /** Where the file system is mounted. */
  public Path mountPoint() {
    return mountPoint;
  }

  /** The device node, such as /dev/loop0. */
  public String device() {
    return device;
  }

  /** The file behind the device. */
  public Path image() {
    return image;
  }

  /** {@code ext4} or {@code xfs}. */
  public String fileSystem() {
    return fileSystem;
  }

  /** Writes everything back. */
  void writeBack() throws IOException {
    Shell.run("sync", "-f", mountPoint.toString());
  }

  /**
   * Writes everything back and drops the files of this volume, and no others, from memory. What is
   * being read meanwhile comes back; read-ahead that is still under way is waited for.
   */
  public void dropPageCache() throws IOException {
    writeBack();
    long end = System.nanoTime() + DROP_WAIT.toNanos();
    dropFiles(mountPoint);
    while (cachedBytes() > 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(DROP_PAUSE.toNanos());
      dropFiles(mountPoint);
    }
  }

  /** Drops what is clean of all files below a folder from memory, as far as nobody uses it. */
  static void dropFiles(Path folder) throws IOException {
    // With count=0, dd's nocache means the whole file.
    Shell.run(
        "find",
        folder.toString(),
        "-type",
        "f",
        "-exec",
        "dd",
        "if={}",
        "iflag=nocache",
        "count=0",
        "status=none",
        ";");
  }

  /** Unmounts the file system, whose files nobody may have open; the device stays. */
  public void unmount() throws IOException {
    Shell.run("umount", mountPoint.toString());
  }

  /** How much of the block files on this volume is in the page cache. */
  public long cachedBytes() throws IOException {
    return Shell.run(
            "find",
            mountPoint.toString(),
            "-name",
            "blk_*",
            "-exec",
            "fincore",
            "-nbo",
            "RES",
            "{}",
            "+")
        .lines()
        .mapToLong(line -> Long.parseLong(line.strip()))
        .sum();
  }

  /** Unmounts, detaches and removes; for a cluster's volume, the whole cluster with it. */
  @Override
  public void close() {
    teardown.close();
  }
}
