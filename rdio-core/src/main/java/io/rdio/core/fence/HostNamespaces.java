// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.device.SysfsBlockDevice;
import io.rdio.core.linux.MountedFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The NVMe namespaces of this host. Thread-safe. */
public final class HostNamespaces implements Namespaces {
  private static final String NVME = "nvme";

  // Places in the file stat of a block device, from 1 on: sectors. Not requests, by which the
  // kernel counts a flush as a write: whoever closes a device that it only read may flush it.
  private static final int STAT_WRITTEN = 7;
  private static final int STAT_DISCARDED = 14;

  private final Path sysfs;
  private final Path devfs;

  /** Of this host. */
  public HostNamespaces() {
    this(Path.of("/sys"), Path.of("/dev"));
  }

  HostNamespaces(Path sysfs, Path devfs) {
    this.sysfs = sysfs;
    this.devfs = devfs;
  }

  @Override
  public List<Namespace> all() throws IOException {
    List<Namespace> found = new ArrayList<>();
    for (SysfsBlockDevice device : SysfsBlockDevice.list(sysfs)) {
      Path node = device.node(devfs);
      boolean whole = device.name().equals(device.disk());
      if (whole && isNvme(device) && !device.hidden() && Files.exists(node)) {
        found.add(new Namespace(device.wwid(), node));
      }
    }
    return found;
  }

  @Override
  public Namespace of(Path node) throws IOException {
    SysfsBlockDevice device =
        SysfsBlockDevice.ofNumbers(sysfs, (Long) Files.getAttribute(node, "unix:rdev"));
    if (!isNvme(device)) {
      throw new ReservationException(
          ReservationException.Obstacle.UNSUPPORTED,
          node + " is no NVMe namespace: only those take reservations");
    }
    return new Namespace(device.wwid(), devfs.resolve(device.disk()));
  }

  @Override
  public boolean isMounted(Namespace namespace) throws IOException {
    for (Path node : nodes(namespace)) {
      long dev = (Long) Files.getAttribute(node, "unix:rdev");
      if (MountedFileSystem.isAnyOn(SysfsBlockDevice.major(dev), SysfsBlockDevice.minor(dev))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<Path> nodes(Namespace namespace) throws IOException {
    List<Path> nodes = new ArrayList<>();
    for (SysfsBlockDevice device : SysfsBlockDevice.list(sysfs)) {
      Path node = device.node(devfs);
      if (devfs.resolve(device.disk()).equals(namespace.node()) && Files.exists(node)) {
        nodes.add(node);
      }
    }
    return nodes;
  }

  @Override
  public String written(Namespace namespace) throws IOException {
    Path disk = sysfs.resolve("class/block").resolve(devfs.relativize(namespace.node()));
    if (Files.readString(disk.resolve("queue/iostats")).strip().equals("0")) {
      throw new IOException(
          "the kernel does not count what this host writes to "
              + namespace.node()
              + "; fix: write 1 to its queue/iostats in /sys");
    }
    List<String> counts = List.of(Files.readString(disk.resolve("stat")).strip().split("\\s+", -1));
    if (counts.size() < STAT_DISCARDED) {
      throw new IOException(disk + "/stat has " + counts.size() + " numbers only");
    }
    return counts.get(STAT_WRITTEN - 1)
        + " sectors written, "
        + counts.get(STAT_DISCARDED - 1)
        + " discarded";
  }

  @Override
  public Reservations open(Namespace namespace) throws ReservationException {
    return KernelReservations.open(namespace.node());
  }

  private static boolean isNvme(SysfsBlockDevice device) {
    return device.disk().startsWith(NVME) && !device.wwid().isEmpty();
  }
}
