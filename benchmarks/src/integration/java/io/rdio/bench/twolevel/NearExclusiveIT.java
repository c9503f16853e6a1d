// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench near-exclusive} as bin/rdio runs it, on little data: HDFS on top of both levels. */
@Tag("alone")
@Tag("loop")
class NearExclusiveIT {
  private static final long DATA_BYTES = 64L << 20;

  @Test
  void theDataNodeWaitsForTheDiskFarLess(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    Map<String, Map<String, String>> byPolicy = run(folder);
    Map<String, String> vanilla = byPolicy.get("Vanilla");
    Map<String, String> bnex = byPolicy.get("BNEX");

    for (Map<String, String> result : byPolicy.values()) {
      assertThat(bytes(result, "served_bytes")).isGreaterThanOrEqualTo(2 * DATA_BYTES);
      assertThat(bytes(result, "asked_bytes")).isGreaterThan(DATA_BYTES);
      assertThat(bytes(result, "level1_bytes")).isLessThanOrEqualTo(DATA_BYTES / 4);
    }
    assertThat(bytes(vanilla, "demanded_disk_bytes"))
        .isGreaterThan(bytes(vanilla, "asked_bytes") * 9 / 10);
    assertThat(bytes(bnex, "demanded_disk_bytes"))
        .isLessThan(bytes(vanilla, "demanded_disk_bytes") / 2);
    assertThat(bytes(bnex, "prefetched_disk_bytes")).isPositive();
    assertThat(bytes(bnex, "extra_network_bytes"))
        .isBetween(1L, bytes(bnex, "prefetched_disk_bytes") / 300);
  }

  private static long bytes(Map<String, String> result, String column) {
    return Long.parseLong(result.get(column));
  }

  /** Rows of its output by policy, each by column. */
  private static Map<String, Map<String, String>> run(Path folder) throws Exception {
    return BenchProcess.byPolicy(
        BenchProcess.run(
            folder.resolve("log"),
            BenchProcess.folderOnDisk(),
            Map.of(),
            "near-exclusive",
            "--csv",
            "--data=64m",
            "--disk-rate=64m",
            "--workload=scans",
            "--policy=Vanilla,BNEX",
            "--pause=2",
            "--warm-ups=1",
            "--passes=2"));
  }
}
