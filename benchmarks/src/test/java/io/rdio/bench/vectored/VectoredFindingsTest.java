// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class VectoredFindingsTest {
  private static Report<Scene> result() {
    VectoredBenchmark benchmark = new VectoredBenchmark(1 << 28, 1 << 25, 20, 3, 10, 1);
    Passes<Scene> passes = new Passes<>();
    for (Scene scene : Scene.values()) {
      for (Way way : VectoredBenchmark.WAYS) {
        passes.add(scene, SamplePasses.of(way, 100));
      }
    }
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench vectored", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void textHasARowForEachSceneAndWay() {
    assertThat(result().text())
        .containsPattern("one by one +stock remote +100\\.0 .* 1\\.00 +1000 ")
        .containsPattern("readVectored +rdio, agent +100\\.0 .* 100\\.0 %")
        .containsPattern("3 of its 20 columns read\\s+10 times");
  }

  @Test
  void columnsAreSpreadOverTheFile() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/setup/columns_read").toString()).isEqualTo("[3,10,16]");
    assertThat(json.at("/scenes/1/scene").asText()).isEqualTo("VECTORED");
  }
}
