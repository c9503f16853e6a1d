// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

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

/** The whole of {@code bench vectored}, as bin/rdio runs it, on little data. */
@Tag("loop")
class VectoredIT {
  @Test
  void readsColumnsByEveryWay(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("vectored --size 24m --row-group 8m --scans 2 --rounds 1 --json " + json)
                .split(" ", -1));
    assertThat(output).contains("one by one", "readVectored");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    for (int scene = 0; scene < 2; scene++) {
      for (String way : List.of("stock", "rdio", "agent")) {
        JsonNode round = figures.at("/scenes/" + scene + "/ways/" + way + "/rounds/0");
        assertThat(round.at("/bytes").asLong())
            .as(way)
            .isEqualTo((24L << 20) / (20 * Long.BYTES) * Long.BYTES * 3 * 2);
      }
    }
  }
}
