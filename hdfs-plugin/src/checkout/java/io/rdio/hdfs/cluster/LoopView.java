// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A volume as one of several hosts has it: a loop device over the volume's own, past the page cache
 * that lies between the two, with the volume's file system mounted on it, read-only. So each view
 * has a page cache of its own, and what that misses is asked of the volume's device.
 */
public final class LoopView {
  private final String device;
  private final Path mountPoint;

  private LoopView(String device, Path mountPoint) {
    this.device = device;
    this.mountPoint = mountPoint;
  }

  /**
   * Makes a view under {@code folder} that goes, also when making it fails, with this teardown.
   *
   * @param volume {@linkplain LoopVolume#unmount unmounted}, for nothing may be written any more;
   *     of the same teardown
   * @throws IOException also if this kernel has a page cache between the two devices, which all
   *     views would share
   */
  public static LoopView create(Path folder, LoopVolume volume, Teardown teardown)
      throws IOException {
    Path mountPoint = Files.createDirectories(folder.resolve("mount"));
    teardown.detachLater(Path.of(volume.device()));
    String device =
        Shell.run("losetup", "--find", "--show", "--read-only", "--direct-io=on", volume.device());
    if (!Shell.run("losetup", "-nO", "DIO", device).strip().equals("1")) {
      throw new IOException(device + " over " + volume.device() + " has no direct I/O");
    }
    teardown.unmountLater(mountPoint);
    String options = mountOptions(volume.fileSystem());
    Shell.run("mount", "-t", volume.fileSystem(), "-o", options, device, mountPoint.toString());
    return new LoopView(device, mountPoint);
  }

  /** So that no view replays a log, and xfs does not mind that it is mounted already. */
  private static String mountOptions(String fileSystem) throws IOException {
    return switch (fileSystem) {
      case "ext4" -> "ro,noload";
      case "xfs" -> "ro,norecovery,nouuid";
      default -> throw new IOException("file system " + fileSystem + ": take ext4 or xfs");
    };
  }

  /** The device node, such as /dev/loop0. */
  public String device() {
    return device;
  }

  /** Where the file system is mounted. */
  public Path mountPoint() {
    return mountPoint;
  }

  /** Drops this view's files, and no other view's, from memory. */
  public void dropPageCache() throws IOException {
    LoopVolume.dropFiles(mountPoint);
  }
}
