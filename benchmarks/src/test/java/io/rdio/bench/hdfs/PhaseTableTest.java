// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.client.Phase;
import io.rdio.bench.client.Written;
import io.rdio.bench.report.Grid;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PhaseTableTest {
  /** Of four files. */
  private static Pass pass(Way way, Map<Phase, Long> phases) {
    Totals totals = new Totals(1000, 4, 1, 1, 1);
    Answer answer = new Answer(totals, Counters.ofBytes(0, 0), "", List.of(), phases, Written.NONE);
    return new Pass(way, answer, 0, 0, 0, 0);
  }

  private static Passes<String> passes() {
    Passes<String> passes = new Passes<>();
    passes.add("files", pass(Way.STOCK, Map.of(Phase.OPEN, 8_000L, Phase.READ, 400_000L)));
    passes.add("files", pass(Way.RDIO, Map.of(Phase.MAP, 40_000L, Phase.OPEN, 12_000L)));
    passes.add("files", pass(Way.RAW, Map.of()));
    return passes;
  }

  @Test
  void eachWayThatWasTimedHasARowAndEachPhaseAColumn() {
    Grid grid = PhaseTable.of(passes());
    assertThat(grid.head()).containsExactly("µs of a file", "by", "open", "map", "read");
    assertThat(grid.rows())
        .containsExactly(
            List.of("files", "stock remote", "2", "", "100"),
            List.of("files", "rdio", "3", "10", ""));
  }

  @Test
  void withoutPhasesThereIsNoRow() {
    Passes<String> untimed = new Passes<>();
    untimed.add("files", SamplePasses.of(Way.STOCK, 100));
    assertThat(PhaseTable.of(untimed).rows()).isEmpty();
    assertThat(Figures.points(untimed, what -> Map.of()).toString()).doesNotContain("phases_us");
  }

  @Test
  void jsonHasTheSpreadOfEachPhase() {
    assertThat(Figures.points(passes(), what -> Map.of()).toString())
        .contains("phases_us={open={min=3.0, median=3.0, max=3.0}, map={min=10.0, ");
  }
}
