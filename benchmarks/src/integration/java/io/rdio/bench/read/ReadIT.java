// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code bench read}, as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("loop")
class ReadIT {
  private static final List<String> WAYS =
      List.of("stock", "short_circuit", "rdio", "agent", "raw");

  @Test
  void measuresAllWays(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    Path html = folder.resolve("page.html");
    String output = run(folder, "--json", json.toString(), "--html", html.toString());
    assertThat(output)
        .contains(
            "$ bin/rdio bench read --size 32m",
            "sequential MB/s, × raw device",
            "agent: CPU of the agent");
    assertThat(Files.readString(html)).contains("<svg").doesNotContain("<script");
    // The benchmark's own, and the client's of each way; not the cluster's and the agent's.
    assertThat(BenchProcess.jvmsWithOptions(folder)).isEqualTo(1 + WAYS.size());

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/content_verified").asText()).startsWith("all files of sequential");
    assertThat(figures.at("/rdio_share").asDouble()).isGreaterThan(0.99);
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/setup/fs").asText()).isEqualTo("ext4");
    assertThat(figures.at("/machine/cores").asInt()).isPositive();
    assertThat(figures.at("/targets")).hasSize(17);
    assertSequential(figures.at("/measures/0"));
    assertPositional(figures.at("/measures/1"));
    JsonNode roundTrips = figures.at("/measures/2");
    assertThat(roundTrips.at("/ways/agent/p50_us/median").asDouble()).isPositive();
    assertFirstByte(figures.at("/measures/3"));
    assertFirstByte(figures.at("/measures/4"));
    assertFirstByte(figures.at("/measures/5"));
  }

  private static void assertSequential(JsonNode measure) {
    assertThat(measure.at("/measure").asText()).isEqualTo("sequential");
    for (String way : WAYS) {
      JsonNode figures = measure.at("/ways/" + way);
      assertThat(figures.at("/mbps/median").asDouble()).as(way).isPositive();
      assertThat(figures.at("/rounds/0/bytes").asLong()).as(way).isEqualTo(32 << 20);
      assertThat(figures.at("/rounds/0/bytes_by_this_way").asLong()).as(way).isEqualTo(32 << 20);
      // Cold: what was read came from the device.
      assertThat(figures.at("/device_bytes_per_byte/median").asDouble())
          .as(way)
          .isBetween(1.0, 2.0);
    }
    assertThat(measure.at("/ways/stock/loopback_bytes_per_byte/median").asDouble())
        .isGreaterThan(1);
    for (String way : List.of("rdio", "agent")) {
      assertThat(measure.at("/ways/" + way + "/loopback_bytes_per_byte/median").asDouble())
          .as(way)
          .isLessThan(0.1);
    }
  }

  private static void assertPositional(JsonNode measure) {
    assertThat(measure.at("/bytes_per_read").asInt()).isEqualTo(4096);
    for (String way : WAYS) {
      JsonNode figures = measure.at("/ways/" + way);
      assertThat(figures.at("/latency_of_all_rounds/reads").asLong()).as(way).isPositive();
      assertThat(figures.at("/p50_us/median").asDouble()).as(way).isPositive();
      assertThat(figures.at("/p999_us/max").asDouble())
          .as(way)
          .isGreaterThanOrEqualTo(figures.at("/p99_us/max").asDouble());
    }
  }

  private static void assertFirstByte(JsonNode measure) {
    assertThat(measure.at("/measure").asText()).isEqualTo("first_byte");
    for (String way : WAYS.subList(0, 4)) {
      assertThat(measure.at("/ways/" + way + "/latency_of_all_rounds/reads").asLong())
          .as(way)
          .isEqualTo(5);
    }
  }

  /** Its output. */
  private static String run(Path folder, String... more) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("read", "--size", "32m", "--sizes", "4k", "--rounds", "1"));
    arguments.addAll(List.of("--seconds", "0.2", "--files", "5"));
    arguments.addAll(List.of(more));
    return BenchProcess.run(
        folder.resolve("log"),
        folder,
        BenchProcess.optionsThatLeaveFiles(folder),
        arguments.toArray(String[]::new));
  }
}
