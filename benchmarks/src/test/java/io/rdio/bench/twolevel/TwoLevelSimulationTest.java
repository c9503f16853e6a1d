// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.twolevel.PageCache.Model;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The shape of the paper's figures (BNEX, APSys'25), on a data set a quarter as large. */
class TwoLevelSimulationTest {
  private static final int BLOCKS = 16_384;

  private static TwoLevelResult run(Model level1, int workload, String policy, double fraction)
      throws IOException {
    return new TwoLevelSimulation(level1, BLOCKS, TwoLevelSimulation.WARM_UP)
        .run(TwoLevelSimulation.WORKLOADS.get(workload), policy, fraction);
  }

  private static double gain(Model level1, int workload, double fraction) throws IOException {
    return run(level1, workload, "BNEX", fraction).hitRatio()
        / run(level1, workload, "Incl", fraction).hitRatio();
  }

  @Test
  void onScansBnexHoldsEightTimesWhatInclHoldsAtAQuarter() throws IOException {
    TwoLevelResult incl = run(Model.LRU, 0, "Incl", 0.25);
    TwoLevelResult bnex = run(Model.LRU, 0, "BNEX", 0.25);
    assertThat(incl.hitRatio()).as("thrashes").isLessThan(0.03);
    assertThat(bnex.hitRatio()).isGreaterThan(8 * incl.hitRatio()).isGreaterThan(0.2);
  }

  /** Linux' active list protects Incl a little; docs/near-exclusive.md says how. */
  @Test
  void onScansBnexHoldsThreeTimesWhatInclHoldsBelowLinux() throws IOException {
    TwoLevelResult incl = run(Model.LINUX, 0, "Incl", 0.25);
    assertThat(incl.hitRatio()).isBetween(0.03, 0.1);
    assertThat(run(Model.LINUX, 0, "BNEX", 0.25).hitRatio()).isGreaterThan(3 * incl.hitRatio());
  }

  @Test
  void onYcsbBnexGainsBetweenOnePointTwoAndTwoPointFive() throws IOException {
    for (int workload : new int[] {1, 2}) {
      for (double fraction : new double[] {0.5, 0.75, 1}) {
        assertThat(gain(Model.LINUX, workload, fraction))
            .as("workload %d at %f", workload, fraction)
            .isBetween(1.2, 2.5);
      }
    }
  }

  @Test
  void bnexHitsAsDemoteDoesForAFractionOfItsTraffic() throws IOException {
    for (int workload : new int[] {0, 1, 2}) {
      TwoLevelResult vanilla = run(Model.LINUX, workload, "Vanilla", 0.5);
      TwoLevelResult demote = run(Model.LINUX, workload, "DEMOTE", 0.5);
      TwoLevelResult bnex = run(Model.LINUX, workload, "BNEX", 0.5);
      assertThat(bnex.hitRatio()).isCloseTo(demote.hitRatio(), within(0.03));
      long data = vanilla.counts().networkBytes();
      assertThat(demote.counts().networkBytes() - data).isGreaterThan(data * 95 / 100);
      assertThat(bnex.counts().networkBytes() - data).isLessThan(data / 100);
    }
  }

  @Test
  void whatAllFitsIntoBothLevelsIsHitFromThere() throws IOException {
    for (String policy : List.of("DEMOTE", "BNEX", "BNEX-S3-FIFO")) {
      TwoLevelResult scans = run(Model.LINUX, 0, policy, 1);
      assertThat(scans.hitRatio()).as(policy).isGreaterThan(0.99);
      assertThat(scans.prefetchWaste()).as(policy).isLessThan(0.01);
    }
  }

  @Test
  void resultsRepeat() throws IOException {
    assertThat(run(Model.LINUX, 2, "BNEX-S3-FIFO", 0.5))
        .isEqualTo(run(Model.LINUX, 2, "BNEX-S3-FIFO", 0.5));
  }

  @Test
  void aRowHasTheColumnsOfTheHeading() throws IOException {
    TwoLevelResult result = run(Model.LINUX, 0, "Vanilla", 0.25);
    assertThat(result.csv())
        .matches("tpch-scans,Vanilla,0\\.25,0\\.0000,[1-9][0-9]+,0\\.0000")
        .satisfies(
            row ->
                assertThat(row.split(",", -1))
                    .hasSameSizeAs(TwoLevelResult.CSV_HEADING.split(",", -1)));
  }
}
