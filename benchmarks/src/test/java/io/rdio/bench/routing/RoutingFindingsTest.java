// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

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
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoutingFindingsTest {
  private static final int PAGE = 4096;

  private static RoutingBenchmark benchmark(boolean stream, Integer... threads) {
    return new RoutingBenchmark(
        1 << 20, List.of(PAGE), List.of(threads), 8, 1, 2, "adaptive", stream);
  }

  /** So many gigabytes in a second. */
  private static Pass pass(Way way, long gigabytes) {
    long bytes = 1_000_000_000 * gigabytes;
    long byRdio = way == Way.RDIO ? bytes : 0;
    Totals totals = new Totals(bytes, 1000, 1, 0.5, 0.5);
    Answer answer = Answer.of(totals, Counters.ofBytes(byRdio, byRdio));
    return new Pass(way, answer, 0.25, 0, 0, bytes);
  }

  private static Report<Point> report(RoutingBenchmark benchmark, Passes<Point> passes) {
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of("bin/rdio bench routing", machine, new ClusterOptions(), benchmark, passes);
  }

  private static Report<Point> result() {
    Passes<Point> passes = new Passes<>();
    for (boolean busy : new boolean[] {false, true}) {
      for (Way way : RoutingBenchmark.WAYS) {
        passes.add(new Point(PAGE, 1, busy), SamplePasses.of(way, 100));
      }
    }
    return report(benchmark(false, 1), passes);
  }

  /**
   * By one thread the device is ten times as fast while it is quiet, and a tenth as fast while it
   * is busy; routing has 0.96 and 0.98 of the better way. By four threads all are the same.
   */
  private static Report<Point> uneven() {
    Passes<Point> passes = new Passes<>();
    Point quiet = new Point(PAGE, 1, false);
    passes.add(quiet, pass(Way.STOCK, 10));
    passes.add(quiet, pass(Way.RDIO, 100));
    passes.add(quiet, pass(Way.ROUTED, 96));
    Point busy = new Point(PAGE, 1, true);
    passes.add(busy, pass(Way.STOCK, 50));
    passes.add(busy, pass(Way.RDIO, 5));
    passes.add(busy, pass(Way.ROUTED, 49));
    for (boolean isBusy : new boolean[] {false, true}) {
      for (Way way : RoutingBenchmark.WAYS) {
        passes.add(new Point(PAGE, 4, isBusy), pass(way, 1));
      }
    }
    return report(benchmark(true, 1, 4), passes);
  }

  @Test
  void textHasARowForEachPointAndWayAndAVerdict() {
    assertThat(result().text())
        .contains("4 KiB, device quiet", "4 KiB, device busy", "8 threads read another file")
        .contains("read by position")
        .containsPattern("rdio, routing .* 1\\.00")
        .contains("4 KiB, quiet and busy together: routing reads 1.00 × the better of both")
        .contains("reached");
  }

  @Test
  void eachPhaseHasATargetOfItsOwn() {
    assertThat(uneven().text())
        .contains(
            "4 KiB, device quiet: routing reads 0.96 × the best single way (target ≥ 0.97): missed",
            "4 KiB, device busy: routing reads 0.98 × the best single way (target ≥ 0.97): reached",
            "4 KiB, 4 threads, device busy: routing reads 1.00 ×",
            "4 KiB, quiet and busy together: routing reads 1.38 × the better of both"
                + " (target ≥ 0.95): reached",
            "4 KiB, 4 threads, quiet and busy together: routing reads 1.00 ×");
  }

  @Test
  void setupSaysHowFilesAreRead() throws IOException {
    JsonNode setup = new ObjectMapper().readTree(uneven().json()).at("/setup");
    assertThat(setup.at("/stream").asBoolean()).isTrue();
    assertThat(setup.at("/routing").asText()).isEqualTo("adaptive");
    assertThat(setup.at("/threads").asInt()).isEqualTo(4);
    assertThat(setup.at("/thread_counts").toString()).isEqualTo("[1,4]");
    assertThat(uneven().text()).containsPattern("4\\s+files\\s+of\\s+256\\s+KiB");
  }

  @Test
  void jsonHasAllPoints() throws IOException {
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points")).hasSize(2);
    assertThat(json.at("/points/1/busy").asBoolean()).isTrue();
    assertThat(json.at("/routed_to_better_by_bytes_per_read/4096").asDouble()).isEqualTo(1);
  }

  @Test
  void jsonHasTheVerdicts() throws IOException {
    JsonNode json = new ObjectMapper().readTree(uneven().json());
    assertThat(json.at("/points")).hasSize(4);
    assertThat(json.at("/points/0/reached").asBoolean()).isFalse();
    assertThat(json.at("/points/1/reached").asBoolean()).isTrue();
    assertThat(json.at("/points/2/threads").asInt()).isEqualTo(4);
    assertThat(json.at("/together")).hasSize(2);
    assertThat(json.at("/together/0/routed_to_better").asDouble()).isGreaterThan(1.3);
    // Of the first number of threads, as it was when there was one.
    assertThat(json.at("/routed_to_better_by_bytes_per_read/4096").asDouble()).isGreaterThan(1.3);
  }

  @Test
  void pageNeedsNothingButItself() throws IOException {
    String html = result().html("page");
    assertThat(html).contains("device busy").doesNotContain("<script", "<link", "<img");
  }
}
