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
  private static final double DATA_NODE_CPU = 0.05;

  /** A replica, its CRCs to the DataNode, and these from there to the device. */
  private static final double LINKS_PER_REPLICA = 1.0156;

  private WriteTargets() {}

  /** Of the streams that were measured. */
  static List<Target> of(Passes<Load> passes) {
    List<Target> targets = new ArrayList<>();
    passes.keys().stream().filter(Load::isStream).forEach(load -> add(passes, load, targets));
    return targets;
  }

  private static void add(Passes<Load> passes, Load load, List<Target> targets) {
    int replication = load.output().replication();
    if (replication >= SPEED_FROM_REPLICATION) {
      double stock = passes.median(load, Way.STOCK, Pass::megabytesPerSecond);
      double rdio = passes.median(load, Way.AGENT, Pass::megabytesPerSecond);
      targets.add(Target.atLeast(load + ": MB/s, × stock", SPEED, rdio / stock));
    }
    targets.add(
        Target.atMost(
            load + ": CPU of a DataNode, s/GB that it stores",
            DATA_NODE_CPU,
            passes.median(load, Way.AGENT, Pass::dataNodeCpuPerGigabyte) / replication));
    targets.add(
        Target.atMost(
            load + ": bytes on all links per byte",
            LINKS_PER_REPLICA * replication,
            passes.median(load, Way.AGENT, Pass::linksPerByte)));
  }
}
