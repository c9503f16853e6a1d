// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResilienceFindingsTest {
  private static final String RDIO = "rdio 0 %";

  private final ResilienceFindings findings =
      new ResilienceFindings("stock", List.of("stock", RDIO));

  private static Outcome stock(double seconds, long decodeMillis) {
    return new Outcome(seconds, 100_000_000, 0, decodeMillis);
  }

  private static Outcome rdio(double seconds) {
    return new Outcome(seconds, 100_000_000, 100_000_000, 0);
  }

  @Test
  void throughputIsInRelationToTheHealthyStockRead() {
    findings.add(0, "stock", stock(1, 0));
    findings.add(0, RDIO, rdio(0.5));
    findings.add(1, "stock", stock(2, 40));
    findings.add(1, "stock", stock(4, 2));
    findings.add(1, RDIO, rdio(0.8));
    findings.add(2, "stock", Outcome.FAILED);
    findings.add(2, RDIO, rdio(1));
    assertThat(findings.text().lines().map(line -> line.replaceAll(" +", " ")))
        .startsWith(
            "DataNodes dead stock MB/s × stock × rdio 0 % ms decoding: stock rdio",
            "0 100 1.00 2.00 0 0", "1 38 0.38 1.25 42 0", "2 fails fails 1.00 fails 0", "");
    assertThat(findings.wrong()).isEmpty();
  }

  @Test
  void eachWayIsALineOfTheFigure(@TempDir Path folder) throws IOException {
    findings.add(0, "stock", stock(1, 0));
    findings.add(0, RDIO, rdio(0.5));
    findings.add(1, "stock", Outcome.FAILED);
    findings.add(1, RDIO, rdio(0.8));
    ResilienceChart chart = new ResilienceChart("RS-3-2-1024k");

    findings.draw(chart);
    chart.save(folder.resolve("5b.svg"));

    assertThat(folder.resolve("5b.svg")).content().startsWith("<?xml").contains("svg");
    assertThatThrownBy(() -> chart.add(RDIO, List.of(0), List.of(1.0)))
        .as("drawn already")
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void jsonHasEachPointAndFailureIsNoThroughput() throws IOException {
    findings.add(1, "stock", Outcome.FAILED);
    findings.add(1, RDIO, rdio(0.5));
    JsonNode json =
        new ObjectMapper()
            .readTree(new JsonSerialization<>(Map.class, false, true).toJson(findings.fields()));
    assertThat(json.at("/points/0/dead").asInt()).isEqualTo(1);
    assertThat(json.at("/points/0/ways/stock/mbps").asDouble()).isZero();
    assertThat(json.at("/points/0/ways/" + RDIO + "/mbps").asDouble()).isEqualTo(200);
    assertThat(json.at("/not_as_it_should_be")).isEmpty();
  }

  @Test
  void rdioThatDecodesOrFailsOrLeavesBytesToStockIsWrong() {
    for (Outcome outcome :
        List.of(Outcome.FAILED, new Outcome(1, 100, 99, 0), new Outcome(1, 100, 100, 1))) {
      ResilienceFindings some = new ResilienceFindings("stock", List.of("stock", RDIO));
      some.add(3, RDIO, outcome);
      assertThat(some.wrong()).hasSize(1);
      assertThat(some.text()).contains("NOT AS IT SHOULD BE: " + RDIO + ", 3 DataNodes dead");
    }
  }

  @Test
  void outcomeGoesAsLineOfText() {
    Outcome outcome = new Outcome(1.25, 3, 2, 1);
    assertThat(Outcome.ofLine(outcome.toLine())).isEqualTo(outcome);
    assertThat(outcome.megabytesPerSecond()).isEqualTo(3e-6 / 1.25);
    assertThat(Outcome.FAILED.megabytesPerSecond()).isZero();
  }
}
