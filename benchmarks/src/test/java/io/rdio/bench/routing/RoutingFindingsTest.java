// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutingFindingsTest {
  private static Report<Point> result() {
    RoutingBenchmark benchmark = new RoutingBenchmark(1 << 20, List.of(4096), 1, 8, 1, 2);
    Passes<Point> passes = new Passes<>();
    for (boolean busy : new boolean[] {false, true}) {
      Point point = new Point(4096, busy);
      for (Way way : RoutingBenchmark.WAYS) {
        passes.add(point, SamplePasses.of(way, 100));
      }
    }
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench routing", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void textHasARowForEachPointAndWayAndAVerdict() {
    assertThat(result().text())
        .contains("4 KiB, device quiet", "4 KiB, device busy", "8 threads read another file")
        .containsPattern("rdio, routing .* 1\\.00")
        .contains("4 KiB, quiet and busy together: routing reads 1.00 × the better of both")
        .contains("reached");
  }

  @Test
  void jsonHasAllPoints() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points")).hasSize(2);
    assertThat(json.at("/points/1/busy").asBoolean()).isTrue();
    assertThat(json.at("/routed_to_better_by_bytes_per_read/4096").asDouble()).isEqualTo(1);
  }

  @Test
  void pageNeedsNothingButItself() throws IOException {
    String html = result().html("page");
    assertThat(html).contains("device busy").doesNotContain("<script", "<link", "<img");
  }
}
