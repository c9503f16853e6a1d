// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory laid out like {@code /sys}, with block devices that this machine does not have. */
public final class FakeSysfs {
  private final Path root;
  private int minor;

  /**
   * @param root an empty directory
   */
  public FakeSysfs(Path root) {
    this.root = root;
  }

  public Path root() {
    return root;
  }

  /** A whole disk; the directory of its attributes. */
  public Path disk(String name, long bytes, String wwid) throws IOException {
    Path directory = device(root.resolve("devices").resolve(name), bytes);
    if (!wwid.isEmpty()) {
      Files.writeString(directory.resolve("wwid"), wwid + "\n");
    }
    return directory;
  }

  /** A partition of a disk that was made before. */
  public Path partition(String disk, String name, long startBytes, long bytes) throws IOException {
    Path directory = device(root.resolve("devices").resolve(disk).resolve(name), bytes);
    Files.writeString(directory.resolve("partition"), "1\n");
    Files.writeString(directory.resolve("start"), startBytes / 512 + "\n");
    return directory;
  }

  /** Gives a device that was made before the number of a real one. */
  public void number(String name, int major, int minor) throws IOException {
    link(root.resolve("dev/block/" + major + ":" + minor), root.resolve("devices").resolve(name));
  }

  /** Major 259 and the minors from 0, in the order of making. */
  private Path device(Path directory, long bytes) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("size"), bytes / 512 + "\n");
    link(root.resolve("class/block").resolve(directory.getFileName()), directory);
    link(root.resolve("dev/block/259:" + minor++), directory);
    return directory;
  }

  private static void link(Path link, Path directory) throws IOException {
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, link.getParent().relativize(directory));
  }
}
