// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code bench records}, as bin/rdio runs it, on little data. */
@Tag("long")
@Tag("loop")
class RecordsIT {
  @Test
  void doesAllWorkloads(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    BenchProcess.run(
        folder.resolve("log"),
        folder,
        Map.of(),
        ("records --records 8 --record-size 4k --threads 2 --rounds 1 --seconds 0.3 --json " + json)
            .split(" ", -1));

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/points")).hasSize(6);
    for (JsonNode point : figures.at("/points")) {
      String workload = point.at("/workload").asText();
      assertThat(point.at("/ways/raw").isMissingNode())
          .as(workload)
          .isEqualTo(!workload.equals("C"));
      for (String way : new String[] {"stock", "rdio", "local"}) {
        JsonNode round = point.at("/ways/" + way + "/rounds/0");
        assertThat(round.at("/reads").asLong()).as(workload + ", " + way).isPositive();
        assertThat(round.at("/bytes").asLong() == 0)
            .as(workload + ", " + way)
            .isEqualTo(workload.equals("LOAD"));
      }
    }
  }

  @Test
  void writesByRdioAsLongAsThereAreSlots(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    BenchProcess.run(
        folder.resolve("log"),
        folder,
        Map.of(),
        ("records --workloads A,C --records 8 --threads 2 --rounds 1 --seconds 0.3 --pool 64m"
                + " --json "
                + json)
            .split(" ", -1));

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    JsonNode updates = figures.at("/points/0/ways/agent/rounds/0");
    assertThat(updates.at("/written_bytes_by_rdio").asLong()).isPositive();
    assertThat(figures.at("/points/0/agent_share_written").asDouble()).isBetween(0.1, 1.0);
    assertThat(figures.at("/points/0/ways/stock/rounds/0/written_bytes_by_rdio").asLong()).isZero();
    JsonNode reads = figures.at("/points/1/ways/agent/rounds/0");
    assertThat(reads.at("/bytes_by_this_way").asLong()).isPositive();
  }
}
