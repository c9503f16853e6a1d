// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.client.Mix;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.records.RecordsBenchmark.Point;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordsFindingsTest {
  private static RecordsBenchmark benchmark(int records, double exponent) {
    return new RecordsBenchmark(
        List.of(Mix.A, Mix.C), records, 65_536, exponent, List.of(16), 1, 1);
  }

  private static Report<Point> result() {
    Passes<Point> passes = new Passes<>();
    for (Mix mix : List.of(Mix.A, Mix.C)) {
      for (Way way : RecordsBenchmark.ways(mix)) {
        passes.add(new Point(mix, 16), SamplePasses.of(way, 100));
      }
    }
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of(
        "bin/rdio bench records", machine, new ClusterOptions(), benchmark(10, 0), passes);
  }

  @Test
  void onlyTheWorkloadOfReadsHasTheRawDevice() throws IOException {
    assertThat(result().text())
        .containsPattern("workload A, 16 threads +rdio +1000 ")
        .containsPattern("workload C, 16 threads +raw device +1000 ")
        .doesNotContainPattern("workload A, 16 threads +raw device");
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points/1/workload").asText()).isEqualTo("C");
    assertThat(json.at("/points/1/ways/raw/reads_per_s/median").asDouble()).isEqualTo(1000);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> benchmark(0, 0.99))
        .withMessage("--records 0: must be 1 or more");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> benchmark(10, -1))
        .withMessage("--exponent -1.0: must not be negative");
  }
}
