// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;

/** Reads and writes of the factorial experiment, which are parts of their own, in one table. */
class CharacterizationFiguresTest {
  private static final String MEANS = "mean of all combinations";

  private static String average(
      String placement, String operation, String pattern, String way, int micros) {
    return String.format(
        "{'placement':'%s device','scheduler':'none','tasks':'32','pattern':'%s','way':'%s',"
            + "'operation':'%s','average_us':%d}",
        placement, pattern, way, operation, micros);
  }

  private static Measured measured(String part, String... averages) throws IOException {
    String json = "{'averages':[" + String.join(",", averages) + "]}";
    Map<?, ?> left =
        new JsonSerialization<>(Map.class, false, false).fromJson(json.replace('\'', '"'));
    return Catalogue.all().stream()
        .flatMap(figure -> figure.parts().stream())
        .filter(one -> one.name().equals(part))
        .map(one -> ((CommandPart) one).output().of(left, List.of()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void tableHasReadsAndWritesOfAllWays() throws IOException {
    Map<String, Measured> results = new HashMap<>();
    results.put(
        "characterize-reads",
        measured(
            "characterize-reads",
            average("slow", "read", "random", "rdio", 900),
            average("fast", "read", "random", "rdio", 90)));
    results.put(
        "characterize-writes",
        measured(
            "characterize-writes",
            average("slow", "write", "sequential", "stock remote", 4000),
            average("slow", "write", "sequential", "rdio, agent", 7000)));
    Verdict verdict = Catalogue.select(List.of("io-1")).get(0).verdict(results);
    Measured ours = Objects.requireNonNull(verdict.ours());
    Panel slow = ours.panel("average latency, slow device").orElseThrow();
    assertThat(slow.at("random read, RDIO direct", "none, 32")).isEqualTo(900);
    assertThat(slow.at("sequential write, RDIO by the agent", "none, 32")).isEqualTo(7000);
    Panel means = ours.panel(MEANS).orElseThrow();
    assertThat(means.at("sequential write, stock HDFS", "slow device")).isEqualTo(4000);
    assertThat(means.at("random read, RDIO direct", "fast device")).isEqualTo(90);
    assertThat(verdict.shape()).isEqualTo("as in the paper");
  }
}
