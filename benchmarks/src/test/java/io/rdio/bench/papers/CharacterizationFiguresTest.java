// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;

/** Reads and writes of the factorial experiment, which are parts of their own. */
class CharacterizationFiguresTest {
  private static final String MEANS = "mean of all combinations";

  private static String average(
      String placement, String operation, String pattern, String way, String figures) {
    return String.format(
        "{'placement':'%s device','scheduler':'none','tasks':'32','pattern':'%s','way':'%s',"
            + "'operation':'%s',%s}",
        placement, pattern, way, operation, figures);
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

  private static Verdict verdict(String id, String part, Measured measured) {
    return Catalogue.select(List.of(id)).get(0).verdict(Map.of(part, measured));
  }

  @Test
  void tablesHaveReads() throws IOException {
    String part = "characterize-reads";
    Measured reads =
        measured(
            part,
            average("slow", "read", "random", "rdio", "'average_us':900"),
            average("fast", "read", "random", "rdio", "'average_us':90"));
    Verdict verdict = verdict("io-1", part, reads);
    Measured ours = Objects.requireNonNull(verdict.ours());
    Panel slow = ours.panel("average latency, slow device").orElseThrow();
    assertThat(slow.at("random read, RDIO direct", "none, 32")).isEqualTo(900);
    assertThat(ours.panel(MEANS).orElseThrow().at("random read, RDIO direct", "fast device"))
        .isEqualTo(90);
    assertThat(verdict.shape()).isEqualTo("as in the paper");
  }

  /** Writes of both ways on both devices; of the agent's on the fast one so much went by RDIO. */
  private static Verdict writes(double share) throws IOException {
    String part = "characterize-writes";
    String agent = "rdio, agent";
    Measured writes =
        measured(
            part,
            average("slow", "write", "sequential", "stock remote", "'average_us':4000"),
            average(
                "slow",
                "write",
                "sequential",
                agent,
                "'average_us':7000,'agent_share_written':1.0"),
            average(
                "fast",
                "write",
                "sequential",
                agent,
                "'average_us':6000,'agent_share_written':" + share),
            average(
                "fast",
                "write",
                "sequential",
                agent,
                "'average_us':8000,'agent_share_written':1.0"));
    return verdict("io-writes", part, writes);
  }

  @Test
  void writesAreByStockHdfsAndByTheAgent() throws IOException {
    Verdict verdict = writes(0.5);
    Measured ours = Objects.requireNonNull(verdict.ours());
    Panel means = ours.panel(MEANS).orElseThrow();
    assertThat(means.at("sequential write, stock HDFS", "slow device")).isEqualTo(4000);
    assertThat(means.at("sequential write, RDIO by the agent", "fast device")).isEqualTo(7000);
    Panel written = ours.panel("what of the agent's writes went by RDIO").orElseThrow();
    assertThat(written.at("mean of all combinations' shares", "fast device")).isEqualTo(0.75);
    assertThat(verdict.shape()).isEqualTo("as in the paper");
  }

  @Test
  void writesThatWentByStockHdfsAreNotAsTheyShouldBe() throws IOException {
    Verdict verdict = writes(-1); // a mean of nothing
    assertThat(verdict.isBad()).isTrue();
    assertThat(verdict.why()).contains("most of what the agent's way writes goes by RDIO: no");
  }
}
