// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StepCostTest {
  @Test
  void theRestIsWhatIsNotSpentInQueues() {
    StepCost cost = new StepCost("readerStream1m", 200_000, 1000, 0, 30_000, 50_000.25);
    assertThat(cost.row())
        .isEqualTo("| readerStream1m | 200000.0 | 1000.0 | 0.0 | 30000.0 | 50000.3 | 119999.8 |\n");
  }

  @Test
  void stepsWithoutATimedQueueSayNothingOfIt() {
    StepCost cost = new StepCost("mapHit", 12.34, Double.NaN, 0, Double.NaN, Double.NaN);
    assertThat(cost.row()).isEqualTo("| mapHit | 12.3 | – | 0.0 | – | – | – |\n");
  }

  @Test
  void aRowHasAsManyCellsAsTheHead() {
    String head = StepCost.HEAD.lines().findFirst().orElseThrow();
    assertThat(bars(new StepCost("x", 1, 1, 1, 1, 1).row())).isEqualTo(bars(head));
  }

  private static long bars(String line) {
    return line.chars().filter(each -> each == '|').count();
  }
}
