// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.bench.twolevel.ControlGroup;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code bench characterize}, as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("long")
@Tag("loop")
class CharacterizeIT {
  @Test
  void slowDeviceIsSlow(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("characterize --slow 4m --schedulers none,mq-deadline --tasks 4 --size 64m --pool 32m"
                    + " --repeats 2 --seconds 0.3 --json "
                    + json)
                .split(" ", -1));
    assertThat(output).contains("η²");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/analysis_of_variance/read/0/source").asText()).isEqualTo("placement");
    int byAgent = 0;
    for (JsonNode average : figures.at("/averages")) {
      assertThat(average.at("/average_us").asDouble()).as(average.toString()).isPositive();
      JsonNode share = average.at("/agent_share_written");
      if (!share.isMissingNode()) {
        assertThat(share.asDouble()).as(average.toString()).isPositive();
        byAgent++;
      }
    }
    assertThat(byAgent).as("placements, schedulers").isEqualTo(2 * 2);
  }
}
