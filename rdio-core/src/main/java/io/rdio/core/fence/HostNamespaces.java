// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The NVMe namespaces of this host, as whole disks: that is what is reserved. Thread-safe. */
public final class HostNamespaces {
  private static final String NVME = "nvme";

  private final Path sysfs;
  private final Path devfs;

  /**
   * One of them.
   *
   * @param wwid the same on each host
   * @param node here
   */
  public record Namespace(String wwid, Path node) {}

  /** Of this host. */
  public HostNamespaces() {
    this(Path.of("/sys"), Path.of("/dev"));
  }

  HostNamespaces(Path sysfs, Path devfs) {
    this.sysfs = sysfs;
    this.devfs = devfs;
  }

  /** All that have a node here and a WWID. */
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

  /**
   * The one that a node stands for, or that its partition is on.
   *
   * @throws ReservationException UNSUPPORTED where it is no NVMe namespace with a WWID
   */
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

  private static boolean isNvme(SysfsBlockDevice device) {
    return device.disk().startsWith(NVME) && !device.wwid().isEmpty();
  }
}
