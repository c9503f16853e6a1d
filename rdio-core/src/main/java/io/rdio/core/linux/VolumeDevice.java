// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static io.rdio.core.FallbackReason.DEVICE_UNSUPPORTED;
import static io.rdio.core.FallbackReason.FILE_SYSTEM_UNSUPPORTED;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds out which device a DataNode's data directory lies on, in the terms by which another host
 * finds the same device. Needs no privilege. Thread-safe.
 */
public final class VolumeDevice {
  private final Path sysfs;
  private final Path procfs;
  private final Path devfs;

  /** Of this host. */
  public VolumeDevice() {
    this(Path.of("/sys"), Path.of("/proc"), Path.of("/dev"));
  }

  VolumeDevice(Path sysfs, Path procfs, Path devfs) {
    this.sysfs = sysfs;
    this.procfs = procfs;
    this.devfs = devfs;
  }

  /** As {@link #of} on this host. */
  public static DeviceIdentity identify(Path dataDir) throws FallbackException {
    return new VolumeDevice().of(dataDir);
  }

  /**
   * The device below a directory.
   *
   * @throws FallbackException FILE_SYSTEM_UNSUPPORTED or DEVICE_UNSUPPORTED, with what was found
   */
  public DeviceIdentity of(Path dataDir) throws FallbackException {
    try {
      Path real = dataDir.toRealPath();
      MountInfo mount =
          MountInfo.of(real, procfs)
              .orElseThrow(() -> new IOException("no line of mountinfo holds " + real));
      requireFileSystem(real, mount);
      return identity(real, mount, (Long) Files.getAttribute(real, "unix:dev"));
    } catch (IOException e) {
      throw new FallbackException(
          DEVICE_UNSUPPORTED, "cannot find out the device of " + dataDir + ": " + e, e);
    }
  }

  DeviceIdentity identity(Path directory, MountInfo mount, long dev)
      throws IOException, FallbackException {
    SysfsBlockDevice device = device(directory, dev);
    Path node = device.node(devfs);
    return new DeviceIdentity(
        mount.fsType(),
        FsUuid.of(directory, mount.fsType(), node, devfs),
        device.sizeBytes(),
        device.wwid(),
        device.startBytes(),
        node.toString());
  }

  private SysfsBlockDevice device(Path directory, long dev) throws IOException, FallbackException {
    if (SysfsBlockDevice.major(dev) == 0) {
      throw new FallbackException(
          DEVICE_UNSUPPORTED,
          directory
              + " lies on an anonymous device (0:"
              + SysfsBlockDevice.minor(dev)
              + "), not on a disk");
    }
    SysfsBlockDevice device = SysfsBlockDevice.ofNumbers(sysfs, dev);
    if (!device.kind().isEmpty()) {
      throw new FallbackException(
          DEVICE_UNSUPPORTED,
          directory
              + " lies on "
              + device.node(devfs)
              + ", which is not a plain disk or partition: "
              + device.kind());
    }
    return device;
  }

  private static void requireFileSystem(Path directory, MountInfo mount)
      throws IOException, FallbackException {
    switch (mount.fsType()) {
      case "ext4" -> {
        if (mount.hasOption("data=journal")) {
          throw unsupported(directory, mount, "data=journal: the newest bytes are in the journal");
        }
      }
      case "xfs" -> {
        if (mount.hasValued("rtdev") || FsUuid.mayHaveRealtimeSection(directory)) {
          throw unsupported(
              directory,
              mount,
              "realtime section: its files may lie elsewhere than on this device");
        }
      }
      default -> throw unsupported(directory, mount, "not ext4 or xfs");
    }
  }

  private static FallbackException unsupported(Path directory, MountInfo mount, String why) {
    return new FallbackException(
        FILE_SYSTEM_UNSUPPORTED,
        directory
            + " lies on "
            + mount.fsType()
            + " ("
            + mount.source()
            + " at "
            + mount.point()
            + "): "
            + why);
  }
}
