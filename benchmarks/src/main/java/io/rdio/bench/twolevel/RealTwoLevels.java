// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.prefcache.PrefCacheOptions;
import java.io.IOException;

/**
 * Measures policies of level 2 on real page caches. The reader of each compute node runs in a
 * control group that bounds its level 1, and the kernel counts for that group what the namespace
 * and, on its behalf, the disk are asked for. PrefCache runs in this process, in a control group of
 * its own: so the kernel tells apart what either reads from the disk.
 *
 * @param blocks of the data set
 * @param bytesPerSecond no more is read by a compute node, so that reclaim, descriptors and
 *     prefetches have the time that they would have with caches as large as a server's
 */
record RealTwoLevels(TwoLevelStack stack, int blocks, long bytesPerSecond) {
  private record Sample(long asked, long demanded, long prefetched, long extraNetwork) {}

  /** Runs one policy, from empty caches. */
  RealResult run(Workload workload, String policy, double fraction) throws IOException {
    stack.dropCaches();
    // What reads at random says so to the kernel (FADV_RANDOM), as key-value stores do.
    stack.readAhead(workload.isSequential());
    String mark = "rdio-two-level-" + ProcessHandle.current().pid();
    try (ControlGroup storage = ControlGroup.create(mark + "-storage", stack.teardown());
        RealNodes nodes =
            RealNodes.start(stack, mark + "-compute", workload, blocks, bytesPerSecond)) {
      storage.countReads(stack.diskNumber());
      storage.add(ProcessHandle.current().pid());
      int capacity = TwoLevelSimulation.capacity(blocks, fraction);
      try (RealStorageCache level2 =
          RealStorageCache.start(
              policy, stack, capacity, PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH)) {
        nodes.warmUp((long) blocks / TwoLevelSimulation.LEVEL1_SHARE * Workload.BLOCK_BYTES);
        Sample warm = sample(nodes, storage, level2);
        double mibPerSecond = nodes.finish();
        Sample end = sample(nodes, storage, level2);
        return new RealResult(
            workload.label(),
            policy,
            fraction,
            end.asked - warm.asked,
            end.demanded - warm.demanded,
            end.prefetched - warm.prefetched,
            end.extraNetwork - warm.extraNetwork,
            nodes.level1Bytes(),
            stack.imageBytesInMemory(),
            simulated(workload, policy, fraction),
            stack.views().size(),
            mibPerSecond);
      }
    }
  }

  private Sample sample(RealNodes nodes, ControlGroup storage, RealStorageCache level2)
      throws IOException {
    return new Sample(
        nodes.asked(),
        nodes.demanded(),
        storage.bytesRead(stack.diskNumber()),
        level2.extraNetworkBytes());
  }

  private double simulated(Workload workload, String policy, double fraction) throws IOException {
    int nodes = stack.views().size();
    return new TwoLevelSimulation(PageCache.Model.LINUX, blocks, RealWorkloads.WARM_UP, nodes)
        .run(workload, policy, fraction)
        .hitRatio();
  }
}
