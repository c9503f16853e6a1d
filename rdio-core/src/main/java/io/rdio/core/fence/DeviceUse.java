// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rdio.core.device.SysfsBlockDevice;
import io.rdio.core.linux.MountedFileSystem;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * What of this host may write to a disk: file systems and devices that lie on it or on one of its
 * partitions. Taken from sysfs and procfs alone: nothing waits for a device or a server. Of one
 * moment.
 */
final class DeviceUse {
  // Several paths to a disk as one device, and kpartx's partitions of such: they are the disk.
  private static final Pattern MULTIPATH = Pattern.compile("(part[0-9]+-)?mpath-.*");

  private final Path sysfs;
  private final Path devfs;
  private final Path procfs;
  private final Map<String, SysfsBlockDevice> devices = new LinkedHashMap<>();

  DeviceUse(Path sysfs, Path devfs, Path procfs) throws IOException {
    this.sysfs = sysfs;
    this.devfs = devfs;
    this.procfs = procfs;
    for (SysfsBlockDevice device : SysfsBlockDevice.list(sysfs)) {
      devices.put(device.name(), device);
    }
  }

  /**
   * Whether a file system of it is mounted: where we see it, and, of those that the kernel lists by
   * their device, anywhere.
   */
  boolean isMounted(String disk) throws IOException {
    Set<String> mounted = MountedFileSystem.devices(procfs);
    List<Path> listed = listedFileSystems();
    for (String name : views(disk)) {
      if (mounted.contains(text(block(name).resolve("dev")))
          || listed.stream().anyMatch(folder -> Files.exists(folder.resolve(name)))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Devices that lie on it, for people; none of them multipath's, or a loop device that cannot be
   * written to.
   */
  List<String> holders(String disk) throws IOException {
    Set<String> views = views(disk);
    List<String> holders = new ArrayList<>();
    for (String name : views) {
      for (String holder : holdersOf(name)) {
        if (!views.contains(holder)) {
          holders.add((holder + " " + uuid(holder)).strip());
        }
      }
    }
    holders.addAll(writableLoops(views));
    return holders;
  }

  /** Itself and its partitions, also as multipath has them. */
  private Set<String> views(String disk) throws IOException {
    Deque<String> next = new ArrayDeque<>();
    for (SysfsBlockDevice device : devices.values()) {
      if (device.disk().equals(disk)) {
        next.add(device.name());
      }
    }
    Set<String> views = new LinkedHashSet<>();
    while (!next.isEmpty()) {
      String name = next.remove();
      if (views.add(name)) {
        for (String holder : holdersOf(name)) {
          if (MULTIPATH.matcher(uuid(holder)).matches()) {
            next.add(holder);
          }
        }
      }
    }
    return views;
  }

  private Collection<String> holdersOf(String name) {
    SysfsBlockDevice device = devices.get(name);
    return device == null ? List.of() : device.holders();
  }

  /** The kernel names no loop device as a holder. */
  private List<String> writableLoops(Set<String> views) throws IOException {
    List<String> nodes =
        devices.values().stream()
            .filter(device -> views.contains(device.name()))
            .map(device -> device.node(devfs).toString())
            .toList();
    List<String> loops = new ArrayList<>();
    for (String name : devices.keySet()) {
      Path of = block(name).resolve("loop/backing_file");
      if (nodes.contains(text(of)) && !text(block(name).resolve("ro")).equals("1")) {
        loops.add(name);
      }
    }
    return loops;
  }

  /** Where file systems stand by their device: ext4's, xfs's and others', and each of btrfs. */
  private List<Path> listedFileSystems() throws IOException {
    List<Path> folders = new ArrayList<>(entries(sysfs.resolve("fs"), folder -> true));
    for (Path each : entries(sysfs.resolve("fs/btrfs"), Files::isDirectory)) {
      folders.add(each.resolve("devices"));
    }
    return folders;
  }

  private static List<Path> entries(Path folder, Predicate<Path> wanted) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (wanted.test(entry)) {
          found.add(entry);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private Path block(String name) {
    return sysfs.resolve("class/block").resolve(name);
  }

  private String uuid(String name) throws IOException {
    return text(block(name).resolve("dm/uuid"));
  }

  /** "" where there is no such file, or none any more. */
  private static String text(Path file) throws IOException {
    try {
      return new String(Files.readAllBytes(file), ISO_8859_1).strip();
    } catch (NoSuchFileException e) {
      return "";
    }
  }
}
