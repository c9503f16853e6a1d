// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where and when something was measured.
 *
 * @param date of the end of the run, UTC, ISO 8601
 */
public record Machine(
    String cpu, int cores, long memoryBytes, String kernel, String jdk, String date) {

  /** This one, now. */
  public static Machine here(Clock clock) throws IOException {
    return new Machine(
        field("/proc/cpuinfo", "model name"),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(field("/proc/meminfo", "MemTotal").replaceAll("\\D", "")) * 1024,
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
  }

  private static String field(String file, String name) throws IOException {
    for (String line : Files.readAllLines(Path.of(file))) {
      int colon = line.indexOf(':');
      if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
        return line.substring(colon + 1).strip();
      }
    }
    return "unknown";
  }

  /** In one line. */
  public String describe() {
    return String.format(
        "%s, %d cores, %d GiB, %s, %s, %s", cpu, cores, memoryBytes >> 30, kernel, jdk, date);
  }

  /** For JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("cpu", cpu);
    fields.put("cores", cores);
    fields.put("memory_bytes", memoryBytes);
    fields.put("kernel", kernel);
    fields.put("jdk", jdk);
    fields.put("date", date);
    return fields;
  }
}
