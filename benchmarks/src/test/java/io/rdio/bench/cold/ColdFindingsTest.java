// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cold;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.cold.ColdBenchmark.File;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.FreshJvms.Footprint;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ColdFindingsTest {
  private static Report<File> result() {
    ColdBenchmark benchmark = new ColdBenchmark(List.of(1L << 20), 1);
    Passes<File> passes = new Passes<>();
    for (Way way : ColdBenchmark.WAYS) {
      passes.add(new File(1 << 20), SamplePasses.of(way, 100));
    }
    benchmark.footprints().put(Way.STOCK, new Footprint(Set.of("a", "b"), 100 << 20));
    benchmark.footprints().put(Way.AGENT, new Footprint(Set.of("a", "c", "d"), 105 << 20));
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench cold", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void textHasARowForEachFileAndWay() {
    assertThat(result().text())
        .containsPattern("1 MiB +stock remote .* 1\\.00 ")
        .containsPattern("1 MiB +rdio, agent .* 1\\.00 ")
        .contains("each -cat in a JVM of its own");
  }

  @Test
  void classesAreCountedBeyondThoseOfStockHdfs() throws IOException {
    assertThat(result().text()).containsPattern("rdio, agent +3 +2 +105");
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/footprints/rdio, agent/classes_beyond_stock").asInt()).isEqualTo(2);
    assertThat(json.at("/points/0/file_bytes").asLong()).isEqualTo(1 << 20);
  }

  @Test
  void pageNeedsNothingButItself() throws IOException {
    assertThat(result().html("page")).doesNotContain("<script", "<link", "<img");
  }
}
