// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Target;
import java.util.ArrayList;
import java.util.List;

/** What remote writes are to reach (docs/remote-writes.md), from the medians of a run. */
final class WriteTargets {
  private static final double SPEED = 1.5;
  private static final int SPEED_FROM_REPLICATION = 3;
  private static final int SPEED_FROM_PARITY = 3;
  private static final double DATA_NODE_CPU = 0.05;

  /** What is stored, its CRCs to the DataNode, and these from there to the device. */
  private static final double LINKS_PER_STORED = 1.0156;

  private WriteTargets() {}

  /** Of the streams that were measured, by each way but stock HDFS's. */
  static List<Target> of(Passes<Load> passes) {
    List<Target> targets = new ArrayList<>();
    for (Load load : passes.keys()) {
      for (Way way : load.isStream() ? passes.ways(load) : List.<Way>of()) {
        if (way != Way.STOCK) {
          add(passes, load, way, targets);
        }
      }
    }
    return targets;
  }

  private static void add(Passes<Load> passes, Load load, Way way, List<Target> targets) {
    Redundancy redundancy = load.redundancy();
    String what = redundancy.isCoded() ? load + ", " + way.label() : load.toString();
    if (isSpeedWanted(redundancy)) {
      double stock = passes.median(load, Way.STOCK, Pass::megabytesPerSecond);
      double rdio = passes.median(load, way, Pass::megabytesPerSecond);
      targets.add(Target.atLeast(what + ": MB/s, × stock", SPEED, rdio / stock));
    }
    double stored = redundancy.stored();
    targets.add(
        Target.atMost(
            what + ": CPU of a DataNode, s/GB that it stores",
            DATA_NODE_CPU,
            passes.median(load, way, Pass::dataNodeCpuPerGigabyte) / stored));
    targets.add(
        Target.atMost(
            what + ": bytes on all links per byte",
            LINKS_PER_STORED * stored,
            passes.median(load, way, Pass::linksPerByte)));
  }

  private static boolean isSpeedWanted(Redundancy redundancy) {
    return redundancy.isCoded()
        ? redundancy.parityUnits() >= SPEED_FROM_PARITY
        : redundancy.replication() >= SPEED_FROM_REPLICATION;
  }
}
