// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.device.SysfsBlockDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
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
  private final Path procfs;

  /** Of this host. */
  public HostNamespaces() {
    this(Path.of("/sys"), Path.of("/dev"), Path.of("/proc"));
  }

  HostNamespaces(Path sysfs, Path devfs, Path procfs) {
    this.sysfs = sysfs;
    this.devfs = devfs;
    this.procfs = procfs;
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
    found.sort(Comparator.comparing(namespace -> !works(namespace)));
    return found;
  }

  /** False if its only controller is away; native multipath's namespace has no controller. */
  private boolean works(Namespace namespace) {
    try {
      return text(disk(namespace).resolve("device/state")).equals("live");
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
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
    return new DeviceUse(sysfs, devfs, procfs).isMounted(name(namespace));
  }

  @Override
  public List<String> holders(Namespace namespace) throws IOException {
    return new DeviceUse(sysfs, devfs, procfs).holders(name(namespace));
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
    List<Path> paths = SysfsBlockDevice.paths(sysfs, namespace.wwid());
    // Native multipath's own disk counts nothing before Linux 6.4, also where its switch is on.
    for (Path counting : paths.isEmpty() ? List.of(disk(namespace)) : paths) {
      if (text(counting.resolve("queue/iostats")).equals("0")) {
        throw new IOException(
            "the kernel does not count what this host writes to "
                + namespace.node()
                + "; fix: write 1 to "
                + counting
                + "/queue/iostats");
      }
    }
    StringBuilder all = new StringBuilder(count(disk(namespace)));
    for (Path path : paths) {
      all.append(", ").append(count(path));
    }
    return all.toString();
  }

  private static String count(Path disk) throws IOException {
    List<String> counts = List.of(text(disk.resolve("stat")).split("\\s+", -1));
    if (counts.size() < STAT_DISCARDED) {
      throw new IOException(disk + "/stat has " + counts.size() + " numbers only");
    }
    // A disk that went and came back under its name counts from 0 again, with another number.
    Path sequence = disk.resolve("diskseq");
    return disk.getFileName()
        + (Files.exists(sequence) ? " #" + text(sequence) : "")
        + ": "
        + counts.get(STAT_WRITTEN - 1)
        + " sectors written, "
        + counts.get(STAT_DISCARDED - 1)
        + " discarded";
  }

  private String name(Namespace namespace) {
    return devfs.relativize(namespace.node()).toString();
  }

  private Path disk(Namespace namespace) {
    return sysfs.resolve("class/block").resolve(name(namespace));
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file).strip();
  }

  @Override
  public Reservations open(Namespace namespace) throws ReservationException {
    return KernelReservations.open(namespace.node());
  }

  private static boolean isNvme(SysfsBlockDevice device) {
    return device.disk().startsWith(NVME) && !device.wwid().isEmpty();
  }
}
