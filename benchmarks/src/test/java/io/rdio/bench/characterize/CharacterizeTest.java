// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.characterize.CharacterizeBenchmark.Operation;
import io.rdio.bench.characterize.CharacterizeBenchmark.Placement;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CharacterizeTest {
  private static final List<String> SCHEDULERS = List.of("none", "bfq");
  private static final List<Integer> TASKS = List.of(32, 64);
  private static final List<Operation> BOTH = List.of(Operation.READ, Operation.WRITE);
  private static final long POOL = 256L << 20;

  private static List<Run> runs(long seed) {
    return Run.inRandomOrder(SCHEDULERS, TASKS, 3, seed);
  }

  private static Report<Cell> result() {
    Passes<Cell> passes = new Passes<>();
    for (Run run : runs(1)) {
      boolean slow = run.cell().placement() == Placement.SLOW;
      passes.add(run.cell(), SamplePasses.of(run.way(), (slow ? 1000 : 100) + run.repeat()));
    }
    CharacterizeBenchmark benchmark =
        new CharacterizeBenchmark(
            BOTH, 32 << 20, SCHEDULERS, TASKS, 65_536, 512 << 20, POOL, 3, 1, 1);
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of(
        "bin/rdio bench characterize", machine, new ClusterOptions(), benchmark, passes);
  }

  @Test
  void designHasEachCombinationAsOften() {
    Map<String, Long> counts =
        runs(1).stream()
            .collect(
                Collectors.groupingBy(run -> run.cell() + ", " + run.way(), Collectors.counting()));
    // Placements, schedulers, tasks; patterns and ways of reads, and ways of writes.
    assertThat(counts).hasSize(2 * 2 * 2 * (2 * 3 + 2));
    assertThat(counts.values()).containsOnly(3L);
    assertThat(runs(1))
        .filteredOn(run -> run.cell().operation() == Operation.WRITE)
        .hasSize(2 * 2 * 2 * 2 * 3)
        .noneMatch(run -> run.way() == Way.RDIO);
  }

  @Test
  void orderIsRandomAndThatOfTheSeed() {
    assertThat(runs(1)).isEqualTo(runs(1)).isNotEqualTo(runs(2));
    assertThat(runs(1)).containsExactlyInAnyOrderElementsOf(runs(2));
  }

  @Test
  void writesComeBehindAllReads() {
    List<Operation> operations = runs(1).stream().map(run -> run.cell().operation()).toList();
    assertThat(operations.lastIndexOf(Operation.READ))
        .isLessThan(operations.indexOf(Operation.WRITE));
  }

  @Test
  void schedulersAreThoseOfTheKernel() {
    assertThat(CharacterizeBenchmark.available("[none] mq-deadline kyber bfq\n"))
        .containsExactly("none", "mq-deadline", "kyber", "bfq");
    assertThat(CharacterizeBenchmark.available("mq-deadline [bfq]\n"))
        .containsExactly("mq-deadline", "bfq");
  }

  @Test
  void placementIsFoundToBeWhatMakesTheDifference() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result().json());
    JsonNode first = json.at("/analysis_of_variance/read/0");
    assertThat(first.at("/source").asText()).isEqualTo("placement");
    assertThat(first.at("/eta_squared").asDouble()).isGreaterThan(0.99);
    assertThat(json.at("/averages")).hasSize(2 * 2 * 2 * 8);
    assertThat(json.at("/averages/0/average_us").asDouble()).isPositive();
    assertThat(result().text())
        .contains("read random rdio, agent", "write sequential stock remote")
        .contains("write sequential rdio, agent")
        .containsPattern("placement +1 +(0\\.99\\d\\d|1\\.0000) .* < 0\\.0001");
  }

  @Test
  void aPoolHasSomeSlotsWhereThereAreWrites() {
    long few = 15L << 20;
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new CharacterizeBenchmark(
                    BOTH, 32 << 20, SCHEDULERS, TASKS, 65_536, 512 << 20, few, 3, 1, 1))
        .withMessageStartingWith("--pool 15728640: less than 16 slots of 1048576 bytes");
    List<Operation> reads = List.of(Operation.READ);
    CharacterizeBenchmark alone =
        new CharacterizeBenchmark(
            reads, 32 << 20, SCHEDULERS, TASKS, 65_536, 512 << 20, few, 3, 1, 1);
    assertThat(alone.keys()).as("a cluster that only reads has no slots").isEmpty();
  }

  @Test
  void pageHasBoxPlotsAndNeedsNothingButItself() throws IOException {
    assertThat(result().html("page"))
        .contains("<rect", "Analysis of variance, read", "Analysis of variance, write")
        .doesNotContain("<script", "<link", "<img", "://");
  }
}
