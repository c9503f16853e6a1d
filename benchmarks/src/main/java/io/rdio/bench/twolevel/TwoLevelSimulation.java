// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.twolevel.TwoLevels.Counts;
import java.io.IOException;
import java.util.List;

/**
 * Simulates policies of level 2.
 *
 * @param level1 how level 1 replaces
 * @param blocks of the data set, which is {@value #LEVEL1_SHARE} times as large as level 1
 * @param warmUp counted is from when each node has read so many blocks for each one of the data set
 * @param nodes compute nodes, each with a level 1 of its own
 */
record TwoLevelSimulation(PageCache.Model level1, int blocks, int warmUp, int nodes) {
  /** The data set's size in level 1s. */
  static final int LEVEL1_SHARE = 4;

  /** How long the {@link #WORKLOADS} take to fill all caches. */
  static final int WARM_UP = 16;

  private static final int YCSB_READS = 2 * WARM_UP;
  private static final long SEED = 42;

  /** What is read. */
  static final List<Workload> WORKLOADS =
      List.of(
          new TableScans(5, Tables.queries(), SEED),
          new YcsbC(0, YCSB_READS, SEED),
          new YcsbC(0.99, YCSB_READS, SEED));

  /** Of one compute node. */
  TwoLevelSimulation(PageCache.Model level1, int blocks, int warmUp) {
    this(level1, blocks, warmUp, 1);
  }

  /**
   * Runs one policy.
   *
   * @param fraction the storage cache's size, of what of the data set does not fit into one level 1
   */
  TwoLevelResult run(Workload workload, String policy, double fraction) throws IOException {
    StorageCache level2 = StorageCaches.create(policy, blocks, capacity(blocks, fraction), nodes);
    Counts counts =
        new ComputeNodes(nodes, blocks, level1, blocks / LEVEL1_SHARE, level2)
            .replay(workload, blocks, (long) warmUp * blocks * nodes);
    return new TwoLevelResult(workload.label(), policy, fraction, counts);
  }

  /** The blocks of a storage cache for that fraction of what level 1 does not hold. */
  static int capacity(int blocks, double fraction) {
    return (int) Math.round((blocks - blocks / LEVEL1_SHARE) * fraction);
  }
}
