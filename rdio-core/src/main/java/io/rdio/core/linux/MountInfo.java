// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One mount of {@code /proc/self/mountinfo} (see proc(5)).
 *
 * @param point where it is mounted
 * @param fsType for example {@code ext4}
 * @param source device node or other source, as given to mount
 * @param options of the file system (not of the mount point)
 */
record MountInfo(Path point, String fsType, String source, List<String> options) {
  private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7]{2})");

  /** The mount that a path lies in: of those that hold it the deepest, the newest of these. */
  static Optional<MountInfo> of(Path realPath, Path procfs) throws IOException {
    MountInfo found = null;
    for (MountInfo mount : all(procfs)) {
      if (realPath.startsWith(mount.point)
          && (found == null || mount.point.getNameCount() >= found.point.getNameCount())) {
        found = mount;
      }
    }
    return Optional.ofNullable(found);
  }

  /** Every mount that this process sees. */
  static List<MountInfo> all(Path procfs) throws IOException {
    return parse(lines(procfs));
  }

  /**
   * Devices, each as {@code MAJOR:MINOR}, of all mounts that this process sees, whatever their
   * points are called and whether they can be reached or not.
   */
  static Set<String> devices(Path procfs) throws IOException {
    Set<String> devices = new HashSet<>();
    for (String line : lines(procfs)) {
      String[] fields = line.split(" ", 4);
      if (fields.length == 4) {
        devices.add(fields[2]);
      }
    }
    return devices;
  }

  private static List<String> lines(Path procfs) throws IOException {
    // Other people's mount points may have names of any bytes: decoded without complaint.
    String text = new String(Files.readAllBytes(procfs.resolve("self/mountinfo")), UTF_8);
    return List.of(text.split("\n", -1));
  }

  /** Lines that do not have the form are left out. */
  static List<MountInfo> parse(List<String> lines) {
    List<MountInfo> mounts = new ArrayList<>();
    for (String line : lines) {
      // id parent maj:min root point options [optional...] - type source superoptions
      int separator = line.indexOf(" - ");
      if (separator < 0) {
        continue;
      }
      String[] mount = line.substring(0, separator).split(" ", -1);
      String[] fileSystem = line.substring(separator + 3).split(" ", -1);
      if (mount.length < 6 || fileSystem.length < 3) {
        continue;
      }
      Optional<Path> point = path(unescape(mount[4]));
      if (point.isEmpty()) {
        continue;
      }
      mounts.add(
          new MountInfo(
              point.get(),
              fileSystem[0],
              unescape(fileSystem[1]),
              List.of(fileSystem[2].split(",", -1))));
    }
    return mounts;
  }

  boolean hasOption(String option) {
    return options.contains(option);
  }

  /** True for an option with a value, for example {@code rtdev=/dev/sdb}. */
  boolean hasValued(String option) {
    return options.stream().anyMatch(o -> o.startsWith(option + "="));
  }

  /** Empty for a name that this JVM's locale has no path for: no directory of ours lies there. */
  private static Optional<Path> path(String name) {
    try {
      return Optional.of(Path.of(name));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  // Space, tab, newline, backslash and, in some kernels, # stand there as \ooo.
  private static String unescape(String text) {
    return ESCAPE
        .matcher(text)
        .replaceAll(
            octal ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(octal.group(1), 8))));
  }
}
