// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory of processes, from /proc. */
final class PeakMemory {
  private PeakMemory() {}

  /** Most of a process that was resident so far, in bytes; 0 if it has ended. */
  static long of(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
