// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code bench near-exclusive} reckons and reads. */
class HdfsResultTest {
  private static HdfsResult result(double seconds, long served, long asked, long demanded) {
    return new HdfsResult(
        "scans", "BNEX", 0.5, 8, seconds, served, asked, demanded, 300, 7, 1000, 2000);
  }

  @Test
  void aLevelHitsWhatItDoesNotAskTheNextOneFor() {
    HdfsResult result = result(2, 1000, 800, 200);

    assertThat(result.dataNodeHitRatio()).isCloseTo(0.2, offset(1e-9));
    assertThat(result.level2HitRatio()).isCloseTo(0.75, offset(1e-9));
    assertThat(result(2, 0, 0, 0).dataNodeHitRatio()).isZero();
    assertThat(result(2, 1000, 0, 0).level2HitRatio()).isZero();
  }

  @Test
  void throughputIsOfTheTimeSpentReading() {
    assertThat(result(4, 64L << 20, 1, 1).mibPerSecond()).isEqualTo(16);
    assertThat(result(0, 64L << 20, 1, 1).mibPerSecond()).isZero();
  }

  @Test
  void aRowHasTheColumnsOfTheHeading() {
    String row = result(4, 64L << 20, 32L << 20, 8L << 20).csv();

    assertThat(HdfsResult.CSV_HEADING.split(",", -1)).hasSameSizeAs(row.split(",", -1));
    assertThat(row)
        .isEqualTo(
            "scans,BNEX,0.50,8.0,16.0,0.5000,0.7500,67108864,33554432,8388608,300,7,1000,2000");
  }

  @Test
  void popularChunksAreReadMoreOftenAndAllLieInTheFile() throws Exception {
    List<Integer> picked = HdfsReads.popular(1000, 3);

    assertThat(picked).hasSize(3000).allMatch(chunk -> chunk >= 0 && chunk < 1000);
    assertThat(picked).isEqualTo(HdfsReads.popular(1000, 3));
    long most =
        picked.stream()
            .mapToLong(chunk -> picked.stream().filter(chunk::equals).count())
            .max()
            .orElseThrow();
    assertThat(most).as("reads of the most popular chunk; 3 would be even").isGreaterThan(100);
  }
}
