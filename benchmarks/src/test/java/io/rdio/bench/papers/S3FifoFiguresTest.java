// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class S3FifoFiguresTest {
  private static Figure figure(String id) {
    return Catalogue.select(List.of(id)).get(0);
  }

  private static Panel published(String id, int panel) {
    return figure(id).published().panels().get(panel);
  }

  /** A figure's verdict on these panels of its only part. */
  private static Verdict verdict(String id, Panel... panels) {
    Map<String, Measured> results = new HashMap<>();
    results.put(figure(id).parts().get(0).name(), new Measured(List.of(panels)));
    return figure(id).verdict(results);
  }

  @Test
  void publishedNumbersHaveWhatTheAbstractSays() {
    Panel large = published("s3fifo-7", 0);
    long best =
        large.labels().stream()
            .filter(
                dataset ->
                    large.lines().keySet().stream()
                        .allMatch(
                            policy -> large.at("S3-FIFO", dataset) >= large.at(policy, dataset)))
            .count();
    assertThat(large.labels()).hasSize(14);
    assertThat(best).isEqualTo(10);
    Panel threads = published("s3fifo-8", 0);
    assertThat(threads.at("S3-FIFO", "16") / threads.at("optimized LRU", "16")).isGreaterThan(6);
  }

  @Test
  void everyFigureHasNumbersOfTheArtifact() {
    for (String id : List.of("6", "7", "8", "9", "10", "11")) {
      Published published = figure("s3fifo-" + id).published();
      assertThat(published.panels()).as(id).isNotEmpty();
      assertThat(published.source()).as(id).contains("sosp23-s3fifo");
    }
  }

  @Test
  void reductionIsOfTheLargerOne() {
    assertThat(MissRatios.reduction(0.5, 0.4)).isCloseTo(0.2, within(1e-9));
    assertThat(MissRatios.reduction(0.4, 0.5)).isCloseTo(-0.2, within(1e-9));
    assertThat(MissRatios.reduction(0.5, 0.5)).isZero();
  }

  @Test
  void percentilesAreNumPys() {
    Map<String, Double> all = Statistics.of(List.of(4.0, 1.0, 3.0, 2.0));
    assertThat(all.get("P10")).isCloseTo(1.3, within(1e-9));
    assertThat(all.get("P25")).isCloseTo(1.75, within(1e-9));
    assertThat(all.get("median")).isEqualTo(2.5);
    assertThat(all.get("mean")).isEqualTo(2.5);
    assertThat(all.get("P90")).isCloseTo(3.7, within(1e-9));
  }

  @Test
  void throughputIsReadFromTheTableOfTheCommand() {
    Panel panel =
        S3FifoFigures.throughput(
            List.of(
                "# JMH version: 1.37",
                "| hit ratio | overwrites, % | threads | ops/µs: S3-FIFO | Caffeine | Guava | sync"
                    + " LRU |",
                "| PERCENT_95 | 0 | 1 | 20.5 | 15.0 | 9.0 | 11.0 | 1 | 2 | 3 | 4 | 5 | 6 |",
                "| PERCENT_95 | 0 | 2 | 41.0 | | 9.5 | 8.0 | 1 | 2 | 3 | 4 | 5 | 6 |"));
    assertThat(panel.at("S3-FIFO", "2")).isEqualTo(41);
    assertThat(panel.at("LRU", "1")).isEqualTo(11);
    assertThat(panel.at("Caffeine", "2")).isNaN();
    assertThat(verdict("s3fifo-8", panel).shape()).isEqualTo("as in the paper");
  }

  @Test
  void throughputThatDoesNotGrowDiffers() {
    Panel panel =
        Panel.of("Zipf 0.99, 95% hits", "threads", "million operations/s")
            .line("S3-FIFO", List.of("1", "2"), 21, 20)
            .line("LRU", List.of("1", "2"), 11, 8)
            .build();
    Verdict verdict = verdict("s3fifo-8", panel);
    assertThat(verdict.shape()).isEqualTo("differs");
    assertThat(verdict.why()).contains("S3-FIFO with two threads serves more than with one: no");
  }

  @Test
  void demotionHasToBeSlowerWithEachLargerQueue() {
    Panel speed =
        Panel.of(Demotions.SPEED, "", "")
            .line("trace", Demotions.SHARES, 90, 45, 18, 9, 4.5, 3, 2.2)
            .build();
    Panel precision =
        Panel.of(Demotions.PRECISION, "", "")
            .line("trace", Demotions.SHARES, 0.80, 0.80, 0.81, 0.81, 0.82, 0.82, 0.81)
            .build();
    assertThat(verdict("s3fifo-10", speed, precision).shape()).isEqualTo("as in the paper");
    Panel rises =
        Panel.of(Demotions.SPEED, "", "")
            .line("trace", Demotions.SHARES, 90, 45, 18, 9, 4.5, 5, 2.2)
            .build();
    assertThat(verdict("s3fifo-10", rises, precision).why())
        .contains("trace at 0.20")
        .contains("below 5.0000 of trace at 0.30");
  }
}
