// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import static io.rdio.bench.read.Measure.FIRST_BYTE;
import static io.rdio.bench.read.Measure.ROUND_TRIP;
import static io.rdio.bench.read.Measure.SEQUENTIAL;
import static io.rdio.bench.read.Measure.THIRD_TIME;

import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What RDIO is to reach, from the medians of a run: ratios between ways of the same run, as a rule;
 * times and CPU for each byte were set on a loop device over tmpfs on 2 cores and move with the
 * machine.
 */
final class Targets {
  private static final int SMALL = 4 << 10;
  private static final int LARGE = 1 << 20;

  private final Passes<Measure> passes;

  private Targets(Passes<Measure> passes) {
    this.passes = passes;
  }

  static List<Target> of(Passes<Measure> passes, boolean onTmpfs) {
    Targets targets = new Targets(passes);
    List<Target> all = new ArrayList<>(targets.ofRdio(onTmpfs));
    all.addAll(targets.ofAgent());
    return all;
  }

  private List<Target> ofRdio(boolean onTmpfs) {
    List<Target> all = new ArrayList<>(ofStream(onTmpfs));
    all.addAll(ofPositional());
    all.add(
        Target.atMost(
            "first byte of a file never opened before, p50, × stock remote",
            1.3,
            ratio(FIRST_BYTE, Way.STOCK, pass -> pass.micros(50))));
    return all;
  }

  private List<Target> ofStream(boolean onTmpfs) {
    ToDoubleFunction<Pass> speed = Pass::megabytesPerSecond;
    return List.of(
        Target.atLeast("sequential MB/s, × stock remote", 4, ratio(SEQUENTIAL, Way.STOCK, speed)),
        Target.atLeast(
            "sequential MB/s, × short-circuit", 1.3, ratio(SEQUENTIAL, Way.SHORT_CIRCUIT, speed)),
        Target.atLeast(
            "sequential MB/s, × raw device",
            onTmpfs ? 0.90 : 0.95,
            ratio(SEQUENTIAL, Way.RAW, speed)),
        Target.atMost(
            "sequential CPU of the client, s/GB",
            0.16,
            rdio(SEQUENTIAL, Pass::clientCpuPerGigabyte)),
        Target.atMost(
            "sequential CPU of client + DataNode, × stock remote",
            0.30,
            ratio(SEQUENTIAL, Way.STOCK, Pass::cpuPerGigabyte)),
        // 0, but an idle DataNode's heartbeats are counted too.
        Target.atMost(
            "sequential CPU of the DataNode, s/GB",
            0.01,
            rdio(SEQUENTIAL, Pass::dataNodeCpuPerGigabyte)),
        Target.atMost(
            "sequential loopback bytes per byte", 0.005, rdio(SEQUENTIAL, Pass::loopbackPerByte)));
  }

  private List<Target> ofPositional() {
    ToDoubleFunction<Pass> median = pass -> pass.micros(50);
    Measure small = Measure.positional(SMALL);
    return List.of(
        Target.atMost(
            "4 KiB positional read, p50, µs more than raw device",
            10,
            rdio(small, median) - passes.median(small, Way.RAW, median)),
        Target.atMost(
            "4 KiB positional read, CPU of the client, × raw device",
            1.5,
            ratio(small, Way.RAW, Pass::clientCpuPerGigabyte)),
        Target.atMost(
            "1 MiB positional read, p50, × raw device",
            1.25,
            ratio(Measure.positional(LARGE), Way.RAW, median)));
  }

  /** What the agent of a host adds to a read may cost no more than its messages. */
  private List<Target> ofAgent() {
    ToDoubleFunction<Pass> median = pass -> pass.micros(50);
    Measure small = Measure.positional(SMALL);
    return List.of(
        Target.atLeast(
            "agent: sequential MB/s, × rdio",
            0.95,
            agent(SEQUENTIAL, Pass::megabytesPerSecond)
                / rdio(SEQUENTIAL, Pass::megabytesPerSecond)),
        Target.atMost(
            "agent: CPU of the agent, s/GB", 0.03, agent(SEQUENTIAL, Pass::agentCpuPerGigabyte)),
        Target.atMost(
            "agent: 4 KiB positional read, p50, more than rdio in round trips of a bare socket",
            1.5,
            (agent(small, median) - rdio(small, median)) / agent(ROUND_TRIP, median)),
        Target.atMost(
            "agent: 1 MiB positional read, p50, × rdio",
            1.10,
            agent(Measure.positional(LARGE), median) / rdio(Measure.positional(LARGE), median)),
        Target.atMost(
            "agent: first byte of a file never opened before, p50, × stock remote",
            1.3,
            agent(FIRST_BYTE, median) / passes.median(FIRST_BYTE, Way.STOCK, median)),
        Target.atMost(
            "agent: first byte of a file whose map is here, p50, × stock remote",
            0.9,
            agent(THIRD_TIME, median) / passes.median(THIRD_TIME, Way.STOCK, median)));
  }

  private double agent(Measure what, ToDoubleFunction<Pass> figure) {
    return passes.median(what, Way.AGENT, figure);
  }

  private double rdio(Measure what, ToDoubleFunction<Pass> figure) {
    return passes.median(what, Way.RDIO, figure);
  }

  private double ratio(Measure what, Way other, ToDoubleFunction<Pass> figure) {
    return rdio(what, figure) / passes.median(what, other, figure);
  }
}
