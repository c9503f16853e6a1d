// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Memory of this process.
 *
 * @param heapBytes objects on its heap that can be reached
 * @param mapBytes what the kernel has allocated for its BPF maps; before Linux 6.4 without ring
 *     buffers
 */
record Footprint(long heapBytes, long mapBytes) {
  private static final Path FDINFO = Path.of("/proc/self/fdinfo");

  /** As it is now; collects garbage. */
  static Footprint now() throws IOException {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    memory.gc(); // what only references that the first one cleared had kept
    return new Footprint(memory.getHeapMemoryUsage().getUsed(), mapBytes(FDINFO));
  }

  /** What this is more than another one. */
  Footprint since(Footprint less) {
    return new Footprint(heapBytes - less.heapBytes, mapBytes - less.mapBytes);
  }

  /**
   * What the kernel says of all open BPF maps, each once.
   *
   * @param folder a process's {@code fdinfo}
   */
  static long mapBytes(Path folder) throws IOException {
    Map<String, Long> byId = new HashMap<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(folder)) {
      for (Path descriptor : open) {
        Map<String, String> fields = fields(descriptor);
        String id = fields.get("map_id");
        if (id != null) {
          byId.put(id, Long.parseLong(fields.getOrDefault("memlock", "0")));
        }
      }
    }
    return byId.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Map<String, String> fields(Path descriptor) {
    Map<String, String> fields = new HashMap<>();
    for (String line : lines(descriptor)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
      }
    }
    return fields;
  }

  private static List<String> lines(Path descriptor) {
    try {
      return Files.readAllLines(descriptor);
    } catch (IOException e) {
      return List.of(); // Closed since it was listed, by another thread.
    }
  }
}
