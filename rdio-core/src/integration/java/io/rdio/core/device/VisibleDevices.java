// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sysfs root on which a host sees only some of this machine's real devices. */
final class VisibleDevices {
  private VisibleDevices() {}

  /**
   * @param directory empty, to build it in
   * @param nodes for example {@code /dev/loop3}
   */
  static LocalDevices only(Path directory, Path... nodes) throws IOException {
    Files.createDirectories(directory.resolve("class/block"));
    for (Path node : nodes) {
      show(directory, node);
    }
    return new LocalDevices(directory, Path.of("/dev"));
  }

  /** Lets the host see one more. */
  static void show(Path directory, Path node) throws IOException {
    Path name = node.getFileName();
    Files.createSymbolicLink(
        directory.resolve("class/block").resolve(name),
        Path.of("/sys/class/block").resolve(name).toRealPath());
  }
}
