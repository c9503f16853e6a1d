// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class YcsbFindingsTest {
  private static Report<Point> result() {
    YcsbBenchmark benchmark =
        new YcsbBenchmark(
            8,
            1 << 20,
            List.of(4096),
            Distribution.parse("both"),
            List.of(1, 16),
            1,
            2,
            1 << 20,
            "grpc");
    Passes<Point> passes = new Passes<>();
    for (Distribution distribution : benchmark.distributions()) {
      for (int threads : benchmark.threads()) {
        passes.add(new Point(distribution, threads), SamplePasses.of(Way.STOCK, 300L * threads));
        passes.add(new Point(distribution, threads), SamplePasses.of(Way.RDIO, 100L * threads));
        passes.add(new Point(distribution, threads), SamplePasses.of(Way.CACHED, 50L * threads));
      }
    }
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench ycsb", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void textHasARowForEachPointAndWay() {
    assertThat(result().text())
        .contains("Zipf (0.99, scrambled)", "uniform", "8 files of 1 MiB")
        .containsPattern("stock remote +1 +1000 +1\\.00 +1000 +300 +300")
        .containsPattern("rdio, data cache +16 .* 75\\.0\n")
        .containsPattern("rdio +16 +1000 +1\\.00 +1000 +160\\d +160\\d");
  }

  @Test
  void jsonHasAllPoints() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points")).hasSize(4);
    assertThat(json.at("/points/3/distribution").asText()).isEqualTo("uniform");
    assertThat(json.at("/points/3/threads").asInt()).isEqualTo(16);
    assertThat(json.at("/points/3/ways/rdio/mbps/median").asDouble()).isEqualTo(1000);
  }

  @Test
  void pageNeedsNothingButItself() throws IOException {
    String html = result().html("page");
    assertThat(html).contains("<svg").doesNotContain("<script", "<link", "<img");
    assertThat(html.replaceAll("xmlns(:xlink)?=\"[^\"]*\"", "")).doesNotContain("://");
  }
}
