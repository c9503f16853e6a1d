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

/** {@code bench ktracer} as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("long")
@Tag("loop")
class KtracerIT {
  @Test
  void extentCacheSavesLookups(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    Map<String, List<String>> rows = run(folder);

    assertThat(rows)
        .containsOnlyKeys("as it is", "without Extent Cache", "without batching", "without both");
    for (List<String> row : rows.values()) {
      assertThat(number(row, "evicted_pages")).isGreaterThan(1000);
      assertThat(number(row, "cpu_ns_per_page")).isPositive();
      assertThat(number(row, "sent_bytes")).isPositive();
    }
    assertThat(number(rows.get("without Extent Cache"), "fiemaps"))
        .isGreaterThan(10 * number(rows.get("as it is"), "fiemaps") + 1000);
  }

  private static double number(List<String> row, String column) {
    List<String> heading = List.of(KtracerResult.CSV_HEADING.split(",", -1));
    return Double.parseDouble(row.get(heading.indexOf(column)));
  }

  /** Cells of its output by what was left out. */
  private static Map<String, List<String>> run(Path folder) throws Exception {
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            BenchProcess.folderOnDisk(),
            Map.of(),
            "ktracer",
            "--csv",
            "--data=64m",
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
