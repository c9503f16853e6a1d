// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import static io.rdio.bench.read.Measure.FIRST_BYTE;
import static io.rdio.bench.read.Measure.SEQUENTIAL;

import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What RDIO is to reach, from the medians of a run. Ratios are between ways of the same run; the
 * absolute ones were set on a loop device over tmpfs on 2 cores and move with the machine.
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
    ToDoubleFunction<Pass> speed = Pass::megabytesPerSecond;
    return List.of(
        Target.atLeast(
            "sequential MB/s, × stock remote", 4, targets.ratio(SEQUENTIAL, Way.STOCK, speed)),
        Target.atLeast(
            "sequential MB/s, × short-circuit",
            1,
            targets.ratio(SEQUENTIAL, Way.SHORT_CIRCUIT, speed)),
        Target.atLeast(
            "sequential MB/s, × raw device",
            onTmpfs ? 0.85 : 0.97,
            targets.ratio(SEQUENTIAL, Way.RAW, speed)),
        Target.atMost(
            "sequential CPU of client + DataNode, × stock remote",
            0.30,
            targets.ratio(SEQUENTIAL, Way.STOCK, Pass::cpuPerGigabyte)),
        // 0, but an idle DataNode's heartbeats are counted too.
        Target.atMost(
            "sequential CPU of the DataNode, s/GB",
            0.01,
            targets.rdio(SEQUENTIAL, Pass::dataNodeCpuPerGigabyte)),
        Target.atMost(
            "sequential loopback bytes per byte",
            0.005,
            targets.rdio(SEQUENTIAL, Pass::loopbackPerByte)),
        Target.atMost("4 KiB positional read, p50 µs", 22, targets.median(SMALL)),
        Target.atMost("4 KiB positional read, p50, × raw device", 22.0 / 11, targets.toRaw(SMALL)),
        Target.atMost("1 MiB positional read, p50 µs", 260, targets.median(LARGE)),
        Target.atMost(
            "1 MiB positional read, p50, × raw device", 260.0 / 173, targets.toRaw(LARGE)),
        Target.atMost(
            "first byte of a file never opened before, p50, × stock remote",
            1.3,
            targets.ratio(FIRST_BYTE, Way.STOCK, pass -> pass.micros(50))));
  }

  private double rdio(Measure what, ToDoubleFunction<Pass> figure) {
    return passes.median(what, Way.RDIO, figure);
  }

  private double ratio(Measure what, Way other, ToDoubleFunction<Pass> figure) {
    return rdio(what, figure) / passes.median(what, other, figure);
  }

  private double median(int bytes) {
    return rdio(Measure.positional(bytes), pass -> pass.micros(50));
  }

  private double toRaw(int bytes) {
    return ratio(Measure.positional(bytes), Way.RAW, pass -> pass.micros(50));
  }
}
