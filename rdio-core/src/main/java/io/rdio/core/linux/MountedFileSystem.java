// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A file system of this host whose files have places on its device: ext4 or xfs, without what puts
 * data elsewhere.
 *
 * @param point where it is mounted, visible to us
 * @param fsType {@code ext4} or {@code xfs}
 */
public record MountedFileSystem(Path point, String fsType) {
  private static final List<String> TYPES = List.of("ext4", "xfs");

  /** The one on a device, if there is one and it is mounted where we see it. */
  public static Optional<MountedFileSystem> on(int major, int minor) throws IOException {
    for (MountInfo mount : MountInfo.all(Path.of("/proc"))) {
      if (TYPES.contains(mount.fsType()) && isOn(mount.point(), major, minor)) {
        return hasOtherPlaces(mount)
            ? Optional.empty()
            : Optional.of(new MountedFileSystem(mount.point(), mount.fsType()));
      }
    }
    return Optional.empty();
  }

  /**
   * Whether any file system is mounted on a device, of whatever type, in this process's mount
   * namespace: also behind another mount.
   */
  public static boolean isAnyOn(int major, int minor) throws IOException {
    return devices(Path.of("/proc")).contains(major + ":" + minor);
  }

  /** Devices, each as {@code MAJOR:MINOR}, that {@link #isAnyOn} is true for. */
  public static Set<String> devices(Path procfs) throws IOException {
    return MountInfo.devices(procfs);
  }

  /** Whether a path lies on a device now; false if it is gone. */
  static boolean isOn(Path path, int major, int minor) {
    try {
      long dev = (Long) Files.getAttribute(path, "unix:dev");
      return SysfsBlockDevice.major(dev) == major && SysfsBlockDevice.minor(dev) == minor;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean hasOtherPlaces(MountInfo mount) throws IOException {
    return mount.fsType().equals("xfs")
        ? mount.hasValued("rtdev") || FsUuid.mayHaveRealtimeSection(mount.point())
        : mount.hasOption("data=journal");
  }
}
