// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.client.SampleAnswers;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.CategorySeries;

class ReadFindingsTest {
  private static final Machine MACHINE =
      new Machine("a <CPU>", 2, 24L << 30, "Linux 6", "JVM 17", "2026-01-01T00:00:00Z");

  private static Passes<Measure> passes() {
    Passes<Measure> passes = new Passes<>();
    for (Way way : Way.values()) {
      for (int round = 1; round <= 3; round++) {
        passes.add(Measure.SEQUENTIAL, SamplePasses.of(way, 100L * round));
        passes.add(Measure.positional(4096), SamplePasses.of(way, 100L * round));
      }
    }
    passes.add(Measure.FIRST_BYTE, SamplePasses.of(Way.STOCK, 100));
    passes.add(Measure.FIRST_BYTE, SamplePasses.of(Way.RDIO, 120));
    return passes;
  }

  private static Report<Measure> result(Passes<Measure> passes) {
    ReadBenchmark benchmark = new ReadBenchmark(1, 1 << 30, List.of(4096), 3, 1, 50, new WarmUp(5));
    return Report.of("bin/rdio bench read", MACHINE, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void textHasMediansAndVerdicts() {
    String text = result(passes()).text();
    assertThat(text)
        .contains(
            "$ bin/rdio bench read", "a <CPU>, 2 cores", "ext4", "dropped from the page cache")
        .containsPattern("client s/GB +its readers s/GB +DataNode s/GB")
        .containsPattern("short-circuit +1000 \\(1000–1000\\) +0\\.500 +0\\.375 ")
        .containsPattern("rdio +1000 +200\\.\\d \\(100\\.\\d–300\\.\\d\\)")
        .containsPattern("first byte of a file never opened before.* 1\\.2\\d +reached")
        .containsPattern("sequential MB/s, × stock remote +≥ 4.00 +1.00 +missed")
        .doesNotContain("NOT AS IT SHOULD BE");
  }

  /** In which no agent is asked. */
  @Test
  void aRoundTripIsNotARowOfTheAgent() {
    Passes<Measure> passes = new Passes<>();
    passes.add(Measure.ROUND_TRIP, SamplePasses.of(Way.AGENT, 20));
    assertThat(result(passes).text())
        .containsPattern("thread to thread +20 ")
        .doesNotContainPattern("(?m)^rdio, agent");
  }

  @Test
  void theBarOfCpuHasTheAgentsPartToo() {
    assertThat(ReadCharts.cpu(passes()).getSeriesCollection())
        .map(CategorySeries::getName)
        .containsExactly("client", "DataNode", "agent");
  }

  @Test
  void jsonHasEveryRound() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result(passes()).json());
    JsonNode rdio = json.at("/measures/1/ways/rdio");
    assertThat(rdio.at("/rounds")).hasSize(3);
    assertThat(rdio.at("/p50_us/median").asDouble()).isCloseTo(200, within(1.0));
    assertThat(rdio.at("/p999_us/max").asDouble()).isCloseTo(300, within(1.0));
    assertThat(rdio.at("/latency_of_all_rounds/reads").asInt()).isEqualTo(3000);
    assertThat(rdio.at("/client_cpu_s_per_gb/median").asDouble()).isEqualTo(0.5);
    assertThat(rdio.at("/client_threads_cpu_s_per_gb/median").asDouble()).isEqualTo(0.375);
    assertThat(rdio.at("/rounds/0/client_threads_cpu_s").asDouble()).isEqualTo(0.375);
    assertThat(json.at("/rdio_share").asDouble()).isEqualTo(1);
    assertThat(json.at("/command").asText()).isEqualTo("bin/rdio bench read");
    assertThat(json.at("/machine/cores").asInt()).isEqualTo(2);
  }

  @Test
  void pageNeedsNothingButItself() throws IOException {
    String html = result(passes()).html("page");
    assertThat(html).contains("<svg", "a &lt;CPU&gt;").doesNotContain("<script", "<link", "<img");
    assertThat(html.replaceAll("xmlns(:xlink)?=\"[^\"]*\"", "")).doesNotContain("://");
  }

  @Test
  void nobodyMissesThatRdioFellBack() throws IOException {
    Passes<Measure> passes = passes();
    passes.add(
        Measure.positional(65536),
        new Pass(Way.RDIO, SampleAnswers.of(500_000_000, 500_000_000, 1), 0, 0, 0, 0));
    Report<Measure> result = result(passes);
    String wrong = "rdio, positional reads of 64 KiB: only 50.0 % of the bytes came by this way";
    assertThat(result.text()).contains("NOT AS IT SHOULD BE: " + wrong);
    assertThat(result.html("page")).contains("Not as it should be: " + wrong);
    assertThat(result.json()).contains(wrong);
  }
}
