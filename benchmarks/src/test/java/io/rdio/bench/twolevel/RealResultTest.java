// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/** What {@code bench two-level} is told and prints. */
class RealResultTest {
  private static RealResult result(long asked, long demanded) {
    return new RealResult("w", "BNEX", 0.25, asked, demanded, 300, 7, 1000, 2000, 0.5, 2, 61.25);
  }

  @Test
  void hitsAreWhatWasNotDemandedOfTheDisk() {
    assertThat(result(1000, 250).hitRatio()).isEqualTo(0.75);
    assertThat(result(0, 0).hitRatio()).isZero();
  }

  @Test
  void aRowHasTheColumnsOfTheHeading() {
    assertThat(RealResult.CSV_HEADING.split(",", -1))
        .hasSameSizeAs(result(1000, 250).csv().split(",", -1));
    assertThat(result(1000, 250).csv())
        .isEqualTo("w,BNEX,0.25,0.7500,0.5000,1000,250,300,7,1000,2000,2,61.3");
  }

  @Test
  void sizesArePercentages() {
    assertThat(Fractions.parse(" 12.5% ")).isEqualTo(0.125);
    for (String wrong : new String[] {"25", "0%", "101%", "%", "", "x%"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Fractions.parse(wrong))
          .withMessageContaining("\"" + wrong + "\"");
    }
  }

  @Test
  void workloadsAreFoundByName() {
    assertThat(RealWorkloads.named("tpch-scans")).isInstanceOf(TableScans.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RealWorkloads.named("tpcc"))
        .withMessageContaining("tpch-scans, ycsb-c-uniform");
  }
}
