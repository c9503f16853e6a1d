// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One mount of {@code /proc/self/mountinfo} (see proc(5)).
 *
 * @param point where it is mounted
 * @param fsType for example {@code ext4}
 * @param source device node or other source, as given to mount
 * @param options of the file system (not of the mount point)
 */
record MountInfo(Path point, String fsType, String source, List<String> options) {

  /** The mount that a path lies in: of those that hold it the deepest, the newest of these. */
  static Optional<MountInfo> of(Path realPath, Path procfs) throws IOException {
    MountInfo found = null;
    for (MountInfo mount : parse(Files.readAllLines(procfs.resolve("self/mountinfo")))) {
      if (realPath.startsWith(mount.point)
          && (found == null || mount.point.getNameCount() >= found.point.getNameCount())) {
        found = mount;
      }
    }
    return Optional.ofNullable(found);
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
      mounts.add(
          new MountInfo(
              Path.of(unescape(mount[4])),
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

  // Space, tab, newline and backslash stand there as \ooo.
  private static String unescape(String text) {
    return text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }
}
