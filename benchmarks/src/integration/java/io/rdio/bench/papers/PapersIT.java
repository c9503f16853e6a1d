// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.bench.twolevel.ControlGroup;
import io.rdio.core.testing.Requirements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code bench papers --quick}, as bin/rdio runs it, of each paper some figures that must have its
 * shape. They are such as no busy machine changes by chance: simulations, which repeat; counts of
 * bytes and reads; medians of files, and speeds of several rounds, that are three times apart and
 * more. The whole of {@code --quick} has throughputs of single short passes besides, and is for
 * people.
 */
@Tag("alone")
@Tag("loop")
class PapersIT {
  private static final List<String> FIGURES =
      List.of(
          "s3fifo-6",
          "s3fifo-7",
          "s3fifo-10",
          "rdio-3b",
          "rdio-3f",
          "rdio-5b",
          "bnex-4",
          "bnex-6",
          "ext4of-open-steps");

  private static final List<String> OF_CONTROL_GROUPS = List.of("io-1", "io-3");
  private static final String CANNOT_RUN = "io-2";

  /** The checkout's own alone: what lies beside a checkout would make another simulation. */
  private static final Path TRACES =
      Path.of("../s3fifo-cache/src/test/resources/io/rdio/s3fifo").toAbsolutePath().normalize();

  private static String run(Path folder, List<String> figures, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("papers", "--quick", "--only", String.join(",", figures), "--store"));
    arguments.add(folder.toString());
    arguments.addAll(List.of("--traces", TRACES.toString()));
    arguments.addAll(List.of("--json", json(folder).toString()));
    arguments.addAll(List.of("--html", folder.resolve("page.html").toString()));
    arguments.addAll(List.of(more));
    return BenchProcess.run(
        folder.resolve("log"), folder, Map.of(), arguments.toArray(String[]::new));
  }

  private static Path json(Path folder) {
    return folder.resolve("figures.json");
  }

  /** By their ids. */
  private static Map<String, JsonNode> figures(Path folder) throws IOException {
    Map<String, JsonNode> figures = new LinkedHashMap<>();
    for (JsonNode figure : new ObjectMapper().readTree(json(folder).toFile()).at("/figures")) {
      figures.put(figure.at("/id").asText(), figure);
    }
    return figures;
  }

  private static void requireShape(JsonNode figure) {
    assertThat(figure.at("/shape").asText()).as(figure.toString()).isEqualTo("as in the paper");
    assertThat(figure.at("/ours")).as(figure.toString()).isNotEmpty();
  }

  @Test
  void shapesAreThoseOfThePapersAndAreTakenUpAgain(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    List<String> asked = new ArrayList<>(FIGURES);
    asked.add(CANNOT_RUN);
    assertThat(run(folder, asked))
        .contains("[1/6] miss-ratios", "[6/6] opening-by-steps")
        .doesNotContain("FAILED");
    Map<String, JsonNode> figures = figures(folder);
    assertThat(figures.keySet()).containsExactlyElementsOf(asked);
    FIGURES.forEach(id -> requireShape(figures.get(id)));
    assertThat(figures.get(CANNOT_RUN).at("/why").asText()).startsWith("not run: ");
    assertThat(Files.readString(folder.resolve("page.html"))).contains("<svg", "rdio-3f");

    assertThat(run(folder, asked, "--resume").split("done before", -1)).hasSize(1 + 6);
    assertThat(figures(folder)).isEqualTo(figures);
  }

  @Test
  void aSlowDeviceAnswersLater(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Requirements.require(ControlGroup.whyNot().isEmpty(), ControlGroup.whyNot());
    assertThat(run(folder, OF_CONTROL_GROUPS)).doesNotContain("FAILED");
    Map<String, JsonNode> figures = figures(folder);
    OF_CONTROL_GROUPS.forEach(id -> requireShape(figures.get(id)));
  }
}
