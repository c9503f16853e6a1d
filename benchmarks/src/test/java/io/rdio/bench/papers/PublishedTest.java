// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What papers published as numbers, and ours in the same terms. */
class PublishedTest {
  private static Figure figure(String id) {
    return Catalogue.select(List.of(id)).get(0);
  }

  @Test
  void numbersThatAreCitedSayWhere() {
    Map<String, String> cited =
        Map.of(
            "rdio-3c", "issue on remote writes",
            "rdio-3f", "2026-11-21-epyc.md",
            "rdio-writes-3e", "issue on remote writes",
            "rdio-writes-3f", "issue on remote writes",
            "rdio-5a", "issue on remote writes",
            "rdio-5b", "docs/resilience.md",
            "ext4of-open", "2026-11-28-device-plane.md",
            "bnex-4", "docs/near-exclusive.md");
    cited.forEach(
        (id, source) -> {
          Published published = figure(id).published();
          assertThat(published.panels()).as(id).isNotEmpty();
          assertThat(published.source()).as(id).contains(source);
        });
  }

  @Test
  void numbersAreThoseThatAreCited() {
    Panel writes = figure("rdio-3c").published().panels().get(0);
    assertThat(writes.at("MinRDIO", "least")).isEqualTo(1.11);
    assertThat(writes.at("MinRDIO", "most")).isEqualTo(1.29);
    Panel opening = figure("ext4of-open-steps").published().panels().get(0);
    assertThat(opening.at("most", "local")).isEqualTo(80);
    assertThat(opening.at("least", "new, by NVMe-oF")).isEqualTo(487);
  }

  @Test
  void oursAreInTimesOfTheOther() {
    Panel measured =
        Panel.of(RdioParts.WRITE_THROUGHPUT, "object size", "MB/s")
            .add(RdioParts.RDIO_WRITES, "1 MiB", 300)
            .add(RdioParts.RDIO_WRITES, "16 MiB", 900)
            .add(RdioParts.RDIO_WRITES_3, "1 MiB", 50)
            .add(RdioParts.STOCK_WRITES, "1 MiB", 200)
            .add(RdioParts.STOCK_WRITES_3, "1 MiB", 100)
            .build();
    Map<String, Measured> results = Map.of("writes", new Measured(List.of(measured)));
    Measured ours = Objects.requireNonNull(figure("rdio-3c").verdict(results).ours());
    Panel times = ours.panel("write throughput, in times of stock HDFS's").orElseThrow();
    String one = RdioParts.RDIO_WRITES + " : " + RdioParts.STOCK_WRITES;
    String three = RdioParts.RDIO_WRITES_3 + " : " + RdioParts.STOCK_WRITES_3;
    assertThat(times.at(one, "1 MiB")).isCloseTo(1.5, within(1e-9));
    assertThat(times.at(one, "16 MiB")).as("stock HDFS has none").isNaN();
    assertThat(times.at(three, "1 MiB")).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void nothingIsDividedByAReadThatFails() {
    Panel measured =
        Panel.of("dead", "DataNodes dead", "MB/s")
            .add("stock", "0", 200)
            .add("stock", "3", 0)
            .add("rdio", "0", 300)
            .add("rdio", "3", 250)
            .build();
    Panel times = new Ratio("times", "dead", "rdio", "stock").in(measured);
    assertThat(times.labels()).containsExactly("0");
    assertThat(times.at("rdio : stock", "0")).isCloseTo(1.5, within(1e-9));
  }
}
