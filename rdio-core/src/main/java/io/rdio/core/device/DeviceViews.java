// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import io.rdio.core.FallbackException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * This host's views of a device that another host named: the disk and its partitions. For hints
 * about a device only, never for reading it: whoever reads must go by {@link DeviceDirectory}.
 */
public final class DeviceViews {
  private final LocalDevices devices;

  /** Those of this host. */
  public DeviceViews() {
    this(Path.of("/sys"), Path.of("/dev"));
  }

  DeviceViews(Path sysfs, Path devfs) {
    this.devices = new LocalDevices(sysfs, devfs);
  }

  /**
   * One view.
   *
   * @param startBytes where it starts on the device that was named
   */
  public record View(SysfsBlockDevice device, int major, int minor, long startBytes) {
    /** As the kernel numbers it inside, which is not st_dev's way. */
    public int kernelDevice() {
      return major << 20 | minor;
    }
  }

  /**
   * Every view of the device. Of the names those that are not empty count, each alone: on two paths
   * to it that this host sees as two devices there are two views.
   *
   * @param namespaceUuid of an NVMe namespace, as sysfs has it
   * @param wwid as sysfs has it
   * @param fsUuid of the file system that begins where the device begins
   */
  public List<View> find(String namespaceUuid, String wwid, String fsUuid)
      throws FallbackException {
    List<View> views = new ArrayList<>();
    for (SysfsBlockDevice device : devices.list()) {
      if (LocalDevices.whyUnusable(device).isPresent()) {
        continue;
      }
      if (isNamed(device, namespaceUuid, wwid)) {
        view(device, device.startBytes()).ifPresent(views::add);
      } else if (!fsUuid.isEmpty() && holds(device, fsUuid)) {
        view(device, 0).ifPresent(views::add);
      }
    }
    return views;
  }

  /** The view by a node that an administrator named. */
  public View named(Path node) throws IOException {
    long dev = (Long) Files.getAttribute(node, "unix:rdev");
    return new View(
        SysfsBlockDevice.ofNumbers(devices.sysfs(), dev),
        SysfsBlockDevice.major(dev),
        SysfsBlockDevice.minor(dev),
        0);
  }

  private boolean isNamed(SysfsBlockDevice device, String namespaceUuid, String wwid) {
    if (!wwid.isEmpty() && wwid.equals(device.wwid())) {
      return true;
    }
    return !namespaceUuid.isEmpty()
        && (device.wwid().equalsIgnoreCase("uuid." + namespaceUuid)
            || text(device.disk(), "uuid").equalsIgnoreCase(namespaceUuid));
  }

  private boolean holds(SysfsBlockDevice device, String fsUuid) {
    try {
      return devices
          .look(device)
          .filter(superblock -> superblock.uuid().toString().equalsIgnoreCase(fsUuid))
          .isPresent();
    } catch (FallbackException e) {
      // One that cannot be read is none that we could tell to be the one.
      return false;
    }
  }

  private Optional<View> view(SysfsBlockDevice device, long startBytes) {
    String[] numbers = text(device.name(), "dev").split(":", -1);
    try {
      return Optional.of(
          new View(device, Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), startBytes));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // Unplugged since it was listed.
      return Optional.empty();
    }
  }

  private String text(String name, String attribute) {
    try {
      return Files.readString(
              devices.sysfs().resolve("class/block").resolve(name).resolve(attribute))
          .strip();
    } catch (IOException e) {
      return "";
    }
  }
}
