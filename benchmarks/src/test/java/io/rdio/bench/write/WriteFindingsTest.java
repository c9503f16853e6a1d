// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.client.SampleAnswers;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.CpuByGroup;
import io.rdio.bench.hdfs.CpuGroup;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.ParityLag;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SlotCost;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.write.WarmUpRun.Stored;
import io.rdio.bench.write.WriteBenchmark.Seen;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriteFindingsTest {
  private static final long GIGABYTE = 1_000_000_000;

  /** A gigabyte in this time. */
  private static Pass stream(Way way, double seconds, double dataNodes, long device) {
    long byRdio = way.isByAgent() ? GIGABYTE : 0;
    Totals totals = new Totals(GIGABYTE, 1, seconds, 0.25, 0.25);
    Answer answer = Answer.of(totals, Counters.ofBytes(byRdio, 0));
    SlotCost slots = way == Way.AGENT ? new SlotCost(3 * GIGABYTE, 1000, 0.75) : SlotCost.NONE;
    Map<CpuGroup, Double> threads = Map.of(CpuGroup.COMPILERS, dataNodes / 4, CpuGroup.ENDED, 2.5);
    return new Pass(way, answer, dataNodes, 0.5, GIGABYTE / 50, device, slots)
        .with(new CpuByGroup(threads));
  }

  private static Pass objects(Way way, long micros) {
    Answer answer = SampleAnswers.of(way == Way.AGENT ? GIGABYTE : 0, 0, micros);
    return new Pass(way, answer, 0.25, 0, GIGABYTE, GIGABYTE);
  }

  private static final Machine MACHINE =
      new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");

  private static Report<Load> result(long zeroed) {
    WritePlan plan = WritePlanTest.plan(List.of(1L << 20), false, 1);
    WriteBenchmark benchmark = new WriteBenchmark(plan);
    List<Load> loads = plan.loads();
    Passes<Load> passes = new Passes<>();
    passes.add(loads.get(0), stream(Way.STOCK, 2, 0.5, GIGABYTE));
    passes.add(loads.get(0), stream(Way.AGENT, 1, 0.125, GIGABYTE));
    passes.add(loads.get(2), stream(Way.STOCK, 3, 1.5, 3 * GIGABYTE));
    passes.add(loads.get(2), stream(Way.AGENT, 2, 0.15, 3 * GIGABYTE));
    passes.add(loads.get(3), objects(Way.STOCK, 10_000));
    passes.add(loads.get(3), objects(Way.AGENT, 25_000));
    benchmark.seen().put(Seen.SLOTS_MADE, 40L);
    benchmark.seen().put(Seen.SLOTS_ZEROED, zeroed);
    return Report.of("bin/rdio bench write", MACHINE, new ClusterOptions(), benchmark, passes);
  }

  private static Report<Load> codedResult() {
    WriteBenchmark benchmark =
        new WriteBenchmark(WritePlanTest.coded("RS-6-3-1024k", List.of(), 1));
    Load load = benchmark.plan().loads().get(0);
    Passes<Load> passes = new Passes<>();
    passes.add(load, stream(Way.STOCK, 4, 0.3, 3 * GIGABYTE / 2));
    passes.add(load, stream(Way.IMMEDIATE, 2, 0.3, 3 * GIGABYTE / 2));
    passes.add(
        load,
        stream(Way.DEFERRED, 1, 0.075, 3 * GIGABYTE / 2).with(new ParityLag(2, 0.5, 0.125, 0.375)));
    return Report.of("bin/rdio bench write", MACHINE, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void codedFilesHaveBothKindsOfParityBesideStock() {
    assertThat(codedResult().text())
        .containsPattern("RS-6-3-1024k, arrays of 64 KiB +stock remote +250 .* +1\\.00 ")
        .containsPattern("64 KiB +rdio, immediate parity +500 .* +2\\.00 +0\\.250 +0\\.500")
        .containsPattern("64 KiB +rdio, deferred parity +1000 .* +4\\.00 .* +100\\.0 %\n")
        .containsPattern("stock remote +0 +– +– +0 \\(0–0\\) +–\n")
        .containsPattern("deferred parity +2 +250 +125 \\(125–125\\) +375 \\(375–375\\) +2\\.00\n")
        .containsPattern("64 KiB, rdio, deferred parity: MB/s, × stock +≥ 1\\.50 +4\\.00 +reached")
        // Of nine DataNodes for six blocks of data: 1.5 GB for each GB.
        .containsPattern("immediate parity: CPU of a DataNode.* 0\\.0500 +0\\.20 +missed")
        .containsPattern("deferred parity: CPU of a DataNode.* 0\\.0500 +0\\.0500 +reached")
        .containsPattern("deferred parity: bytes on all links.*≤ 1\\.52 +1\\.52 +reached")
        .doesNotContain("NOT AS IT SHOULD BE");
    assertThat(words(codedResult()))
        .contains("9 DataNodes", "Nobody read parity")
        .doesNotContain("× 3: replicas");
  }

  @Test
  void jsonHasParityOfEachRound() throws IOException {
    JsonNode load = new ObjectMapper().readTree(codedResult().json()).at("/loads/0");
    assertThat(load.at("/policy").asText()).isEqualTo("RS-6-3-1024k");
    assertThat(load.has("replication")).isFalse();
    JsonNode parity = load.at("/parity_of_rounds/deferred/0");
    assertThat(parity.at("/groups_deferred").asInt()).isEqualTo(2);
    assertThat(parity.at("/group_s_without").asDouble()).isEqualTo(0.5);
    assertThat(parity.at("/written_s_behind_pass").asDouble()).isEqualTo(0.125);
    assertThat(parity.at("/known_s_behind_pass").asDouble()).isEqualTo(0.375);
    assertThat(load.at("/parity_of_rounds/immediate/0/groups_deferred").asInt()).isZero();
  }

  @Test
  void replicasHaveNoParity() throws IOException {
    assertThat(words(result(40))).doesNotContain("groups deferred").contains("× 3: replicas");
    JsonNode load = new ObjectMapper().readTree(result(40).json()).at("/loads/0");
    assertThat(load.has("parity_of_rounds")).isFalse();
  }

  @Test
  void textHasARowForEachWayOfEachLoad() {
    assertThat(result(40).text())
        .containsPattern("× 3, arrays of 64 KiB +stock remote +333 \\(333–333\\) +1\\.00 .* –\n")
        .containsPattern(
            "× 3, arrays of 64 KiB +rdio, agent +500 \\(500–500\\) +1\\.50 +0\\.250 +0\\.500"
                + " +0\\.150 +0\\.0200 +3\\.0000 +3\\.0200 +3\\.00 +0\\.750 +100\\.0 %\n")
        .containsPattern(
            "× 3, 1 MiB +stock remote +1000 +10\\.0 \\(10\\.0–10\\.0\\) +10\\.0 +1\\.0")
        .containsPattern("× 3, 1 MiB +rdio, agent +1000 +25\\.0 \\(25\\.0–25\\.0\\) +25\\.0 +2\\.5")
        .doesNotContain("NOT AS IT SHOULD BE");
  }

  @Test
  void largeFilesHaveTheDataNodesCpuByThreads() throws IOException {
    String heads = "DataNodes s/GB +by +all +compilers +GC +RDIO +rest +ended threads\n";
    assertThat(result(40).text())
        .containsPattern(heads + "× 1, arrays of 64 KiB +stock remote +0\\.500 +0\\.125 +0\\.000 ")
        .containsPattern("× 3, .* KiB +rdio, agent +0\\.150 +0\\.03[78] +(0\\.000 +){3}2\\.500\n")
        .doesNotContainPattern("× 3, 1 MiB +rdio, agent +0\\.");
    JsonNode loads = new ObjectMapper().readTree(result(40).json()).at("/loads");
    JsonNode agent = loads.at("/1/datanode_threads_cpu_s_per_gb/agent");
    assertThat(agent.at("/compilers").asDouble()).isEqualTo(0.0375);
    assertThat(agent.at("/ended").asDouble()).isEqualTo(2.5);
    assertThat(loads.at("/1/datanode_threads_cpu_s_of_rounds/stock/0/compilers").asDouble())
        .isEqualTo(0.375);
    assertThat(loads.at("/2").has("datanode_threads_cpu_s_per_gb")).as("objects").isFalse();
  }

  @Test
  void targetsAreThoseOfStreams() {
    assertThat(result(40).text())
        .containsPattern("× 3, arrays of 64 KiB: MB/s, × stock +≥ 1\\.50 +1\\.50 +reached")
        // By three DataNodes, each of which stores a gigabyte.
        .containsPattern("× 3, arrays of 64 KiB: CPU of a DataNode.* 0\\.0500 +0\\.0500 +reached")
        .containsPattern("× 1, arrays of 64 KiB: CPU of a DataNode.* 0\\.0500 +0\\.13 +missed")
        .containsPattern("× 3, arrays of 64 KiB: bytes on all links.*≤ 3\\.05 +3\\.02 +reached")
        .containsPattern("× 1, arrays of 64 KiB: bytes on all links.*≤ 1\\.02 +1\\.02 +missed")
        .doesNotContain("× 1, arrays of 64 KiB: MB/s");
  }

  @Test
  void slotsOfZerosAreSaidToBeSuch() {
    assertThat(words(result(40))).contains("of zeros by O_DIRECT, which cross");
    assertThat(words(result(0))).contains("no zeros crossed to them");
    assertThat(words(result(13))).contains("13 of 40 of zeros by O_DIRECT");
  }

  @Test
  void saysWhatWarmedUp() throws IOException {
    assertThat(words(result(40))).contains("(--warm-up 0)").doesNotContain("Warm-up:");
    assertThat(new ObjectMapper().readTree(result(40).json()).at("/warm_up")).isEmpty();

    WriteBenchmark benchmark = new WriteBenchmark(WritePlanTest.plan(List.of(), false, 1));
    benchmark.warmedUp().put(Way.AGENT, new Stored(812, 1804.2, false));
    benchmark.warmedUp().put(Way.STOCK, new Stored(812, 70.4, true));
    Report<Load> report =
        Report.of("bench", MACHINE, new ClusterOptions(), benchmark, new Passes<>());
    assertThat(words(report))
        .contains(
            "stored blocks of 1 MiB: 812 by stock remote in 70 s; 812 by rdio, agent in 1804 s,"
                + " which were fewer than wanted when --warm-up-max was over.")
        .doesNotContain("(--warm-up 0)");
    JsonNode json = new ObjectMapper().readTree(report.json());
    assertThat(json.at("/warm_up/agent/blocks").asLong()).isEqualTo(812);
    assertThat(json.at("/warm_up/agent/enough").asBoolean(true)).isFalse();
    assertThat(json.at("/warm_up/stock/seconds").asDouble()).isEqualTo(70.4);
    assertThat(json.at("/setup/warm_up_seconds_max").asDouble()).isEqualTo(20);
  }

  /** In one line, whatever is wrapped where. */
  private static String words(Report<Load> report) {
    return report.text().replace('\n', ' ');
  }

  @Test
  void jsonHasSlotsOfEachRound() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result(40).json());
    assertThat(json.at("/slots_zeroed").asInt()).isEqualTo(40);
    assertThat(json.has("rdio_share")).isFalse();
    JsonNode load = json.at("/loads/1");
    assertThat(load.at("/load").asText()).isEqualTo("stream");
    assertThat(load.at("/replication").asInt()).isEqualTo(3);
    assertThat(load.at("/slots_made_for_rounds/agent/0/bytes").asLong()).isEqualTo(3 * GIGABYTE);
    assertThat(load.at("/slots_made_for_rounds/agent/0/bytes_during_pass").asLong())
        .isEqualTo(1000);
    assertThat(load.at("/ways/agent/rounds/0/bytes").asLong()).isEqualTo(GIGABYTE);
    assertThat(json.at("/targets").size()).isEqualTo(5);
  }
}
