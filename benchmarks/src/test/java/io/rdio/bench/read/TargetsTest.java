// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Answer.Counters;
import io.rdio.bench.client.Answer.Totals;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetsTest {
  /** A gigabyte in this time. */
  private static Pass pass(Way way, double seconds, double clientCpu, double dataNodeCpu) {
    long bytes = 1_000_000_000;
    Answer answer = Answer.of(new Totals(bytes, 1, seconds, clientCpu, 0), Counters.ofBytes(0, 0));
    return new Pass(way, answer, dataNodeCpu, way == Way.AGENT ? 0.02 : 0, bytes / 1000, bytes);
  }

  private static Passes<Measure> sequential(double rawSeconds) {
    Passes<Measure> passes = new Passes<>();
    passes.add(Measure.SEQUENTIAL, pass(Way.STOCK, 0.80, 0.4, 0.4));
    passes.add(Measure.SEQUENTIAL, pass(Way.SHORT_CIRCUIT, 0.20, 0.2, 0));
    passes.add(Measure.SEQUENTIAL, pass(Way.RDIO, 0.20, 0.2, 0.02));
    passes.add(Measure.SEQUENTIAL, pass(Way.AGENT, 0.21, 0.2, 0));
    passes.add(Measure.SEQUENTIAL, pass(Way.RAW, rawSeconds, 0.1, 0));
    return passes;
  }

  private static Target target(List<Target> targets, String name) {
    return targets.stream().filter(target -> target.what().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void ratiosAreThoseOfMedians() {
    List<Target> targets = Targets.of(sequential(0.18), true);
    Target stock = target(targets, "sequential MB/s, × stock remote");
    assertThat(stock.value()).isCloseTo(4, within(1e-9));
    assertThat(target(targets, "sequential MB/s, × raw device").value())
        .isCloseTo(0.9, within(1e-9));
    assertThat(target(targets, "sequential CPU of client + DataNode, × stock remote").value())
        .isCloseTo(0.275, within(1e-9));
    assertThat(target(targets, "sequential loopback bytes per byte").verdict())
        .isEqualTo("reached");
    assertThat(target(targets, "sequential CPU of the DataNode, s/GB").verdict())
        .isEqualTo("missed");
  }

  @Test
  void theAgentIsComparedWithRdioThatOpensTheDevice() {
    Passes<Measure> passes = sequential(0.18);
    passes.add(Measure.positional(4096), SamplePasses.of(Way.RDIO, 100));
    passes.add(Measure.positional(4096), SamplePasses.of(Way.AGENT, 130));
    passes.add(Measure.ROUND_TRIP, SamplePasses.of(Way.AGENT, 15));
    List<Target> targets = Targets.of(passes, true);
    assertThat(target(targets, "agent: sequential MB/s, × rdio").value())
        .isCloseTo(0.2 / 0.21, within(1e-9));
    assertThat(target(targets, "agent: CPU of the agent, s/GB").value())
        .isCloseTo(0.02, within(1e-9));
    Target small =
        target(
            targets,
            "agent: 4 KiB positional read, p50, more than rdio in round trips of a bare socket");
    assertThat(small.value()).isCloseTo(2, within(0.05));
    assertThat(small.verdict()).isEqualTo("missed");
    assertThat(target(targets, "agent: 1 MiB positional read, p50, × rdio").verdict())
        .isEqualTo("not measured");
  }

  @Test
  void onADiskRdioMustBeNearerToTheDevice() {
    String raw = "sequential MB/s, × raw device";
    assertThat(target(Targets.of(sequential(0.18), true), raw).verdict()).isEqualTo("reached");
    assertThat(target(Targets.of(sequential(0.18), false), raw).verdict()).isEqualTo("missed");
    assertThat(target(Targets.of(sequential(0.196), false), raw).verdict()).isEqualTo("reached");
  }

  @Test
  void positionalReadsAreComparedWithTheDevice() {
    Passes<Measure> passes = sequential(0.18);
    passes.add(Measure.positional(4 << 10), SamplePasses.of(Way.RDIO, 30));
    passes.add(Measure.positional(4 << 10), SamplePasses.of(Way.RAW, 18));
    passes.add(Measure.positional(1 << 20), SamplePasses.of(Way.RDIO, 120));
    passes.add(Measure.positional(1 << 20), SamplePasses.of(Way.RAW, 100));
    List<Target> targets = Targets.of(passes, true);
    Target small = target(targets, "4 KiB positional read, p50, µs more than raw device");
    assertThat(small.value()).isCloseTo(12, within(0.1));
    assertThat(small.verdict()).isEqualTo("missed");
    Target large = target(targets, "1 MiB positional read, p50, × raw device");
    assertThat(large.value()).isCloseTo(1.2, within(0.01));
    assertThat(large.verdict()).isEqualTo("reached");
  }

  @Test
  void whatWasNotMeasuredIsNeitherReachedNorMissed() {
    Target first =
        target(
            Targets.of(sequential(0.18), true),
            "first byte of a file never opened before, p50, × stock remote");
    assertThat(first.verdict()).isEqualTo("not measured");
    assertThat(first.valueText()).isEqualTo("–");
    assertThat(first.fields()).doesNotContainKey("value");
  }

  @Test
  void boundsThemselvesAreReached() {
    assertThat(Target.atLeast("speed", 4, 4).verdict()).isEqualTo("reached");
    assertThat(Target.atLeast("speed", 4, 3.999).verdict()).isEqualTo("missed");
    assertThat(Target.atMost("time", 4, 4).verdict()).isEqualTo("reached");
    assertThat(Target.atMost("time", 4, 4.001).verdict()).isEqualTo("missed");
    assertThat(Target.atMost("time", 0.005, 0.001).boundText()).isEqualTo("≤ 0.0050");
  }
}
