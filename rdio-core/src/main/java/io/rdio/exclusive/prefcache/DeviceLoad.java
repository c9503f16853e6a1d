// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How busy a device is with what compute nodes ask of it. */
@FunctionalInterface
interface DeviceLoad {
  /** Requests that the device has not completed yet; 0 where nobody can tell. */
  int queueLength(int device);

  /**
   * As the kernel counts requests of the exported devices. Prefetching goes to the files behind
   * them and is not among those.
   */
  static DeviceLoad ofSysfs(Path sysfs, List<StorageDevice> devices) {
    List<Path> files =
        devices.stream().map(d -> sysfs.resolve("class/block/" + d.name() + "/inflight")).toList();
    return device -> {
      try {
        // Reads and writes.
        String[] words = Files.readString(files.get(device)).trim().split("\\s+", -1);
        return Integer.parseInt(words[0]) + Integer.parseInt(words[1]);
      } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
        return 0;
      }
    };
  }
}
