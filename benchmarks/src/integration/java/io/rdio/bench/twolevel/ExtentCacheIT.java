// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench extent-cache} as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("long")
@Tag("loop")
class ExtentCacheIT {
  @Test
  void whatIsCachedIsHitAndTakesHeapAlone(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    Map<String, List<String>> rows = run(folder);

    assertThat(rows).containsOnlyKeys("0", "32768");
    List<String> none = rows.get("0");
    List<String> all = rows.get("32768");
    for (List<String> row : rows.values()) {
      assertThat(number(row, "evicted_pages")).isGreaterThan(1000);
      assertThat(number(row, "cpu_ns_per_page")).isPositive();
      // The ring buffer's 1 MiB, and what else does not grow with the Extent Cache.
      assertThat(number(row, "bpf_map_bytes")).isBetween(1048576.0, 8 * 1048576.0);
    }
    assertThat(number(none, "hit_ratio")).isZero();
    assertThat(number(none, "fiemaps")).isGreaterThan(1000);
    assertThat(number(all, "hit_ratio")).isGreaterThan(0.9);
    assertThat(number(all, "bpf_map_bytes")).isEqualTo(number(none, "bpf_map_bytes"));
    // 256 files, each with 64 extents of three numbers; what else is on the heap differs a little.
    assertThat(number(all, "heap_bytes") - number(none, "heap_bytes"))
        .isGreaterThan(256 * 64 * 24.0 / 2);
  }

  private static double number(List<String> row, String column) {
    List<String> heading = List.of(ExtentCacheResult.CSV_HEADING.split(",", -1));
    return Double.parseDouble(row.get(heading.indexOf(column)));
  }

  /** Cells of its output by the Extent Cache's size. */
  private static Map<String, List<String>> run(Path folder) throws Exception {
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            BenchProcess.folderOnDisk(),
            Map.of(),
            "extent-cache",
            "--csv",
            "--data=64m",
            "--rate=128m",
            "--extent-size=4k",
            "--extents=0,32768",
            "--workload=ycsb-c-uniform");
    Map<String, List<String>> rows = new HashMap<>();
    for (String line : output.lines().toList()) {
      if (line.startsWith("ycsb-c-uniform,")) {
        List<String> cells = List.of(line.split(",", -1));
        rows.put(cells.get(1), cells);
      }
    }
    return rows;
  }
}
