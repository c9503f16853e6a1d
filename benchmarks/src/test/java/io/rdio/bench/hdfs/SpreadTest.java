// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void medianIsTheMiddleOne() {
    assertThat(Spread.of(9, 1, 4)).isEqualTo(new Spread(1, 4, 9));
    assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
  }

  @Test
  void medianOfAnEvenNumberIsBetweenTheMiddleTwo() {
    assertThat(Spread.of(10, 1, 2, 5)).isEqualTo(new Spread(1, 3.5, 10));
  }

  @Test
  void withoutValuesThereIsNone() {
    assertThat(Spread.of().median()).isNaN();
    assertThat(Spread.of().min()).isNaN();
    assertThat(Spread.of().max()).isNaN();
  }

  @Property
  void halfOfTheValuesIsOnEachSide(@ForAll @NotEmpty int[] values) {
    double[] doubles = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      doubles[i] = values[i];
    }
    Spread spread = Spread.of(doubles);
    long below = 0;
    long above = 0;
    for (double value : doubles) {
      assertThat(value).isBetween(spread.min(), spread.max());
      below += value < spread.median() ? 1 : 0;
      above += value > spread.median() ? 1 : 0;
    }
    assertThat(below).isLessThanOrEqualTo(doubles.length / 2);
    assertThat(above).isLessThanOrEqualTo(doubles.length / 2);
  }
}
