// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.client.Mix;
import io.rdio.bench.client.Written;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.records.RecordsBenchmark.Point;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordsFindingsTest {
  private static final long MIB = 1L << 20;
  private static final Machine MACHINE =
      new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");

  private static RecordsBenchmark benchmark(int records, double exponent) {
    return benchmark(records, exponent, 0);
  }

  private static RecordsBenchmark benchmark(int records, double exponent, long pool) {
    return new RecordsBenchmark(
        List.of(Mix.A, Mix.C), records, 65_536, exponent, List.of(16), 1, 1, pool);
  }

  private static Report<Point> result() {
    Passes<Point> passes = new Passes<>();
    for (Mix mix : List.of(Mix.A, Mix.C)) {
      for (Way way : benchmark(10, 0).ways(mix)) {
        passes.add(new Point(mix, 16), SamplePasses.of(way, 100));
      }
    }
    return Report.of(
        "bin/rdio bench records", MACHINE, new ClusterOptions(), benchmark(10, 0), passes);
  }

  @Test
  void allWorkloadsHaveLocalFilesAndThatOfReadsTheRawDevice() throws IOException {
    assertThat(result().text())
        .containsPattern("workload A, 16 threads +rdio +1000 ")
        .containsPattern("workload A, 16 threads +local files +1000 .* 100\\.0 % *\n")
        .containsPattern("workload C, 16 threads +local files +1000 ")
        .containsPattern("workload C, 16 threads +raw device +1000 ")
        .doesNotContainPattern("workload A, 16 threads +raw device");
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points/1/workload").asText()).isEqualTo("C");
    assertThat(json.at("/points/1/ways/raw/reads_per_s/median").asDouble()).isEqualTo(1000);
  }

  @Test
  void slotsAreForOneMoreWay() {
    assertThat(benchmark(10, 0).ways(Mix.C))
        .containsExactly(Way.STOCK, Way.RDIO, Way.LOCAL, Way.RAW);
    assertThat(benchmark(10, 0).keys()).isEmpty();
    RecordsBenchmark writes = benchmark(10, 0, 64 * MIB);
    assertThat(writes.ways(Mix.A)).containsExactly(Way.STOCK, Way.RDIO, Way.AGENT, Way.LOCAL);
    assertThat(writes.ways(Mix.C))
        .containsExactly(Way.STOCK, Way.RDIO, Way.AGENT, Way.LOCAL, Way.RAW);
    assertThat(writes.keys())
        .containsEntry("dfs.blocksize", Long.toString(MIB))
        .containsEntry("dfs.datanode.rdio.write.pool.size", Long.toString(64 * MIB))
        .containsEntry("dfs.datanode.rdio.recall.check.interval", "200ms");
    assertThat(writes.bytes()).isGreaterThanOrEqualTo(benchmark(10, 0).bytes() + 64 * MIB);
  }

  @Test
  void saysWhatOfTheWritesWentByRdio() throws IOException {
    Point point = new Point(Mix.A, 16);
    Passes<Point> passes = new Passes<>();
    passes.add(point, SamplePasses.of(Way.STOCK, 100));
    for (long byRdio : new long[] {100, 50}) {
      passes.add(point, wrote(new Written(100, byRdio)));
    }
    Report<Point> report =
        Report.of(
            "bin/rdio bench records",
            MACHINE,
            new ClusterOptions(),
            benchmark(10, 0, 64 * MIB),
            passes);
    assertThat(report.text()).containsPattern("16 threads +rdio, agent .* 100\\.0 % +75\\.0 %\n");
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.at("/points/0/agent_share_written").asDouble()).isEqualTo(0.75);
    assertThat(json.at("/points/0/ways/agent/rounds/1/written_bytes_by_rdio").asLong())
        .isEqualTo(50);
    assertThat(json.at("/points/0/ways/stock/rounds/0").has("written_bytes")).isFalse();
  }

  /** A pass of the agent's way that read a thousand bytes by RDIO. */
  private static Pass wrote(Written written) {
    Answer answer =
        new Answer(
            new Totals(1000, 10, 1, 1, 1),
            Counters.ofBytes(1000, 0),
            "",
            List.of(),
            Map.of(),
            written);
    return new Pass(Way.AGENT, answer, 0, 0, 0, 0);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> benchmark(10, 0, MIB))
        .withMessage("--pool 1048576: less than 16 slots of 1048576 bytes");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> benchmark(0, 0.99))
        .withMessage("--records 0: must be 1 or more");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> benchmark(10, -1))
        .withMessage("--exponent -1.0: must not be negative");
  }
}
