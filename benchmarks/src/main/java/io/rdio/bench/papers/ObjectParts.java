// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.papers.CommandPart.Bounds;
import java.util.List;
import java.util.Map;

/** Whole files by {@code bench objects}. */
final class ObjectParts {
  static final String STOCK = "stock HDFS";
  static final String CACHED = "RDIO, map cached";
  static final String FRESH = "RDIO, map not cached";
  static final String RAW = "raw device";

  static final String THROUGHPUT = "read throughput";
  static final String MEDIAN = "read latency, median";
  static final String NINETY_NINE = "read latency, 99th percentile";
  static final String CPU = "CPU of client and DataNode";
  static final String DATANODE_CPU = "CPU of the DataNode";
  static final String TRAFFIC = "bytes over loopback for each byte read";

  /** By the DataNode's grants, as RDIO is. */
  static final Part GRANTS =
      CommandPart.json(
          "objects",
          "objects --files 32",
          "objects --sizes 4k,1m,16m --files 16 --pass-bytes 64m --rounds 1",
          new Bounds(400, 90),
          (json, printed) -> measured(json));

  /** Small files, by the device alone, as EXT4-oF. */
  static final Part DEVICE =
      CommandPart.json(
          "objects-by-device",
          "objects --sizes 4k,64k,1m --metadata-plane device",
          "objects --sizes 4k --files 16 --rounds 1 --metadata-plane device",
          new Bounds(160, 55),
          (json, printed) -> measured(json));

  private static final String SIZE = "object size";
  private static final List<String> WAYS = List.of("stock", "rdio", "raw");

  private ObjectParts() {}

  /** Title of a panel. */
  static String phases(String line) {
    return "read latency by phase, " + line;
  }

  /** Reads what the command left. */
  static Measured measured(Map<?, ?> json) {
    List<Map<?, ?>> points = Json.objects(json, "points");
    List<Map<?, ?>> fresh = points.stream().filter(point -> !isCached(point)).toList();
    List<Map<?, ?>> cached = points.stream().filter(ObjectParts::isCached).toList();
    return new Measured(
        List.of(
            PhasePanels.of(phases(STOCK), fresh, "stock"),
            PhasePanels.of(phases(FRESH), fresh, "rdio"),
            PhasePanels.of(phases(CACHED), cached, "rdio"),
            panel(points, THROUGHPUT, "MB/s", "mbps"),
            panel(points, MEDIAN, "µs", "p50_us"),
            panel(points, NINETY_NINE, "µs", "p99_us"),
            panel(points, CPU, "s/GB", "client_cpu_s_per_gb", "datanode_cpu_s_per_gb"),
            panel(points, DATANODE_CPU, "s/GB", "datanode_cpu_s_per_gb"),
            panel(points, TRAFFIC, "B/B", "loopback_bytes_per_byte")));
  }

  private static boolean isCached(Map<?, ?> point) {
    return Boolean.TRUE.equals(point.get("maps_cached"));
  }

  /** The sum of figures, by size and line. */
  private static Panel panel(List<Map<?, ?>> points, String title, String unit, String... figures) {
    Panel.Builder panel = Panel.of(title, SIZE, unit);
    for (String way : WAYS) {
      for (Map<?, ?> point : points) {
        boolean cached = isCached(point);
        // Only to RDIO does it matter which time it is.
        if (way.equals("rdio") || !cached) {
          double sum = 0;
          for (String figure : figures) {
            sum += Json.median(point, way, figure);
          }
          panel.add(line(way, cached), Sizes.label((long) Json.number(point, "file_bytes")), sum);
        }
      }
    }
    return panel.build();
  }

  private static String line(String way, boolean cached) {
    return switch (way) {
      case "stock" -> STOCK;
      case "raw" -> RAW;
      default -> cached ? CACHED : FRESH;
    };
  }
}
