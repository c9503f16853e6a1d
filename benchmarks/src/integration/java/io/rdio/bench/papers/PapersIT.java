// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench papers}, as bin/rdio runs it: a simulated figure, one of a cluster whose shape does
 * not move with the machine, and one that cannot be run; then the same taken up again.
 */
@Tag("loop")
class PapersIT {
  private static String run(Path folder, String more) throws Exception {
    return BenchProcess.run(
        folder.resolve("log"),
        folder,
        Map.of(),
        String.format(
                "papers --quick --only s3fifo-10,rdio-3f,io-2 --store %1$s --json"
                    + " %1$s/figures.json --html %1$s/page.html%2$s",
                folder, more)
            .split(" ", -1));
  }

  @Test
  void comparesAndIsTakenUpAgain(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    assertThat(run(folder, ""))
        .contains("[1/2] demotions", "[2/2] objects")
        .doesNotContain("FAILED");
    JsonNode figures = new ObjectMapper().readTree(folder.resolve("figures.json").toFile());
    assertThat(figures.at("/figures")).hasSize(3);
    for (int i = 0; i < 2; i++) {
      JsonNode figure = figures.at("/figures/" + i);
      assertThat(figure.at("/shape").asText()).as(figure.toString()).isEqualTo("as in the paper");
      assertThat(figure.at("/ours")).isNotEmpty();
    }
    assertThat(figures.at("/figures/2/why").asText()).startsWith("not run: ");
    assertThat(Files.readString(folder.resolve("page.html"))).contains("<svg", "rdio-3f");

    assertThat(run(folder, " --resume")).containsSubsequence("done before", "done before");
    assertThat(new ObjectMapper().readTree(folder.resolve("figures.json").toFile()))
        .isEqualTo(figures);
  }
}
