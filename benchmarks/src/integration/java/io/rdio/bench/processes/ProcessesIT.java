// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code bench processes}, as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("long")
@Tag("loop")
class ProcessesIT {
  private static final int TASKS = 2;
  private static final long TASK_BYTES = 1 << 20;

  @Test
  void measuresJobsAndACrowd(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("processes --tasks 2 --task-size 1m --readers 2 --seconds 0.2 --rounds 1 --json "
                    + json)
                .split(" ", -1));
    assertThat(output)
        .contains(
            "job, quick JVMs",
            "job of 1 KiB each",
            "processes, agent",
            "largest process of the crowd");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/agent_peak_bytes").asLong()).isPositive();
    assertThat(figures.at("/largest_client_peak_bytes").asLong()).isPositive();
    assertThat(figures.at("/reads_before").asLong()).isPositive();
    assertJob(figures.at("/scenes/0"));
    assertThat(figures.at("/scenes/2/ways/agent/rounds/0/client_cpu_s").asDouble()).isPositive();
    assertCrowd(figures.at("/scenes/3"));
  }

  private static void assertJob(JsonNode job) {
    assertThat(job.at("/scene").asText()).isEqualTo("job");
    for (String way : List.of("stock", "rdio", "agent")) {
      JsonNode round = job.at("/ways/" + way + "/rounds/0");
      assertThat(round.at("/bytes").asLong()).as(way).isEqualTo(TASKS * TASK_BYTES);
      assertThat(round.at("/client_cpu_s").asDouble()).as(way).isPositive();
    }
    // What is said to the NameNode counts against it; by stock HDFS it would be none.
    assertThat(job.at("/ways/agent/rounds/0/bytes_by_this_way").asLong()).isGreaterThan(TASK_BYTES);
  }

  private static void assertCrowd(JsonNode crowd) {
    assertThat(crowd.at("/scene").asText()).isEqualTo("crowd");
    for (String way : List.of("rdio", "agent")) {
      JsonNode round = crowd.at("/ways/" + way + "/rounds/0");
      assertThat(round.at("/bytes").asLong()).as(way).isPositive();
      assertThat(round.at("/bytes_by_this_way")).as(way).isEqualTo(round.at("/bytes"));
      // From a common start to the end of the slowest one, without what opening the files takes.
      assertThat(round.at("/seconds").asDouble()).as(way).isBetween(0.2, 30.0);
    }
    assertThat(crowd.at("/ways/agent/rounds/0/reads").asLong()).isGreaterThanOrEqualTo(2);
  }
}
