// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.processes.ProcessesBenchmark.Seen;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessesFindingsTest {
  private static final long GIGABYTE = 1_000_000_000;

  private static Pass pass(Way way, double seconds, double cpu, double dataNode, double agent) {
    long byRdio = way == Way.STOCK ? 0 : GIGABYTE;
    Answer answer =
        Answer.of(new Totals(GIGABYTE, 8, seconds, cpu, cpu), Counters.ofBytes(byRdio, byRdio));
    return new Pass(way, answer, dataNode, agent, 0, GIGABYTE);
  }

  private static Report<Scene> result() {
    return result(12_345);
  }

  private static Report<Scene> result(long readsBefore) {
    ProcessesBenchmark benchmark = new ProcessesBenchmark(8, 128 << 20, 4, 1, 1);
    Passes<Scene> passes = new Passes<>();
    passes.add(Scene.JOB, pass(Way.STOCK, 10, 15, 5, 0));
    passes.add(Scene.JOB, pass(Way.RDIO, 12, 24, 0.5, 0));
    passes.add(Scene.JOB, pass(Way.AGENT, 8, 11, 0.5, 0.5));
    passes.add(Scene.QUICK_JOB, pass(Way.AGENT, 5, 7, 0.5, 0.5));
    passes.add(Scene.BARE_JOB, pass(Way.STOCK, 2.5, 4.75, 0.25, 0));
    passes.add(Scene.CROWD, pass(Way.RDIO, 0.5, 0.5, 0, 0));
    passes.add(Scene.CROWD, pass(Way.AGENT, 0.625, 0.6, 0, 0.03));
    benchmark.seen().put(Seen.AGENT_PEAK_BYTES, 200L << 20);
    benchmark.seen().put(Seen.READS_BEFORE, readsBefore);
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench processes", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void cpuOfAJobIsThatOfAllProcesses() {
    assertThat(result().text())
        .containsPattern(
            "stock remote .* 1\\.00 +20\\.0 \\(20\\.0–20\\.0\\) +1\\.00 +15\\.0 +5\\.0")
        .containsPattern("job, quick JVMs +rdio, agent .* 0\\.50 +8\\.0 .* 0\\.40 ")
        .containsPattern("job of 1 KiB each +stock remote .* 0\\.25 +5\\.0 .* 0\\.25 ")
        .containsPattern("rdio, agent .* 0\\.80 +12\\.0 \\(12\\.0–12\\.0\\) +0\\.60 .* 100\\.0 %");
  }

  @Test
  void aCrowdThatIsColdIsSaidToBe() {
    assertThat(result(9_999).text()).contains("had made 9999 reads").contains("TOO FEW");
  }

  @Test
  void aCrowdIsComparedWithThreads() throws IOException {
    assertThat(result().text()).containsPattern("processes, agent +1600 \\(1600–1600\\) +0\\.80");
    assertThat(result().text()).contains("had made 12345 reads").doesNotContain("TOO FEW");
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/agent_peak_bytes").asLong()).isEqualTo(200L << 20);
    assertThat(json.at("/scenes/3/scene").asText()).isEqualTo("crowd");
    assertThat(json.at("/setup/tasks").asInt()).isEqualTo(8);
  }
}
