// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.plane;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;

class PlaneFindingsTest {
  private static Tally tally(int count, long micros, long reads) {
    Tally tally = new Tally();
    for (int i = 0; i < count; i++) {
      tally.add(1000 * micros, reads);
    }
    return tally;
  }

  private static Lag.Figures lag(int found, int mostTries, Tally home) {
    return new Lag.Figures(10, 3, tally(found, 200, 12), mostTries, 2, home);
  }

  /** One reader with so many reads a look, and four who share. */
  private static PlaneFindings findings(Lag.Figures lag, int reads) {
    Map<Openings.Known, PlaneSteps> openings = new EnumMap<>(Openings.Known.class);
    for (Openings.Known known : Openings.Known.values()) {
      openings.put(known, new PlaneSteps(() -> 0, () -> 0));
    }
    return new PlaneFindings(
        tally(1, 9000, 40),
        lag,
        List.of(
            new Looks.Figures(1, tally(100, 8, 0), 2, 100, 100L * reads),
            new Looks.Figures(4, tally(400, 16, 0), 2, 100, 100L * reads)),
        openings);
  }

  private static List<String> lines(PlaneFindings findings) {
    return findings.text().lines().map(line -> line.replaceAll(" +", " ")).toList();
  }

  @Test
  void aBlockThatIsNotAtItsHomeInTimeIsNoFailure() {
    PlaneFindings findings = findings(lag(3, 1, new Tally()), 2);
    assertThat(findings.wrong()).isEmpty();
    assertThat(lines(findings))
        .contains(
            "by the journal 3 3 12.0 0.200 0.200",
            "by home locations only 2 0 – not within 10.0 s –");
  }

  @Test
  void sharedLooksCostEachReaderLess() {
    PlaneFindings findings = findings(lag(3, 1, tally(1, 5_000_000, 9)), 2);
    assertThat(lines(findings))
        .contains("1 50 50 2.00 2.00 8.0 8.0", "4 200 50 2.00 0.50 16.0 16.0");
  }

  @Test
  void theTargetIsOneReadForALook() {
    assertThat(findings(lag(3, 1, new Tally()), 2).targets().get(0).verdict()).isEqualTo("missed");
    assertThat(findings(lag(3, 1, new Tally()), 1).targets().get(0).verdict()).isEqualTo("reached");
  }

  @Test
  void aCommittedBlockThatIsNotFoundAtOnceIsWrong() {
    assertThat(findings(lag(3, 2, new Tally()), 2).wrong())
        .singleElement()
        .asString()
        .contains("by try 2");
    assertThat(findings(lag(2, 1, new Tally()), 2).wrong())
        .singleElement()
        .asString()
        .contains("1 committed blocks were not found within 10.0 s");
  }

  @Test
  void jsonHasWhatWasFoundAndLeavesOutWhatWasNot() throws IOException {
    PlaneFindings findings = findings(lag(3, 1, new Tally()), 2);
    JsonNode json =
        new ObjectMapper()
            .readTree(new JsonSerialization<>(Map.class, false, true).toJson(findings.fields()));
    assertThat(json.at("/lag/journal/count").asInt()).isEqualTo(3);
    assertThat(json.at("/lag/home/blocks").asInt()).isEqualTo(2);
    assertThat(json.at("/lag/home/count").asInt()).isZero();
    assertThat(json.at("/lag/home/p50_us").isMissingNode()).isTrue();
    assertThat(json.at("/looks/1/reads_each_served").asDouble()).isEqualTo(0.5);
    assertThat(json.at("/opening/cold/path walk/count").asInt()).isZero();
    assertThat(json.at("/not_as_it_should_be")).isEmpty();
  }
}
