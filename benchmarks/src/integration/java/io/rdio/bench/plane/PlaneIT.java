// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

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

/** The whole of {@code bench plane}, as bin/rdio runs it, once. */
@Tag("loop")
class PlaneIT {
  @Test
  void measuresLagLooksAndOpenings(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("plane --rounds 1 --readers 1,4 --seconds 0.2 --wait 0.5 --json " + json)
                .split(" ", -1));
    assertThat(output).contains("by the journal", "by home locations only", "path walk");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/lag/journal/count").asInt())
        .as("all that was committed was found")
        .isEqualTo(figures.at("/lag/journal/blocks").asInt())
        .isPositive();
    assertThat(figures.at("/lag/home/blocks").asInt()).isEqualTo(1);
    assertThat(figures.at("/looks/0/reads_each_taken").asDouble()).isPositive();
    assertThat(figures.at("/looks/1/readers").asInt()).isEqualTo(4);

    double cold = reads(figures, "cold", "all of it");
    double warm = reads(figures, "warm", "all of it");
    assertThat(cold).as("directories that are in memory are not read").isGreaterThan(warm);
    assertThat(warm).isGreaterThan(reads(figures, "again", "all of it"));
    assertThat(reads(figures, "warm", "path walk")).isLessThan(reads(figures, "cold", "path walk"));
    assertThat(reads(figures, "again", "meta header"))
        .as("data is not kept")
        .isGreaterThanOrEqualTo(1);
  }

  private static double reads(JsonNode figures, String known, String step) {
    return figures.at("/opening/" + known + "/" + step + "/reads_mean").asDouble();
  }
}
