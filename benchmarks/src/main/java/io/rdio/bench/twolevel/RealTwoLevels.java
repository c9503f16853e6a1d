// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.prefcache.PrefCacheOptions;
import java.io.IOException;

/**
 * Measures policies of level 2 on real page caches. The reader runs in a control group that bounds
 * level 1, and the kernel counts for that group what the namespace and, on its behalf, the disk are
 * asked for. PrefCache runs in this process, in a control group of its own: so the kernel tells
 * apart what either reads from the disk.
 *
 * @param blocks of the data set
 * @param bytesPerSecond no more is read, so that reclaim, descriptors and prefetches have the time
 *     that they would have with caches as large as a server's
 */
record RealTwoLevels(TwoLevelStack stack, int blocks, long bytesPerSecond) {
  private record Sample(long asked, long demanded, long prefetched, long extraNetwork) {}

  /** Runs one policy, from empty caches. */
  RealResult run(Workload workload, String policy, double fraction) throws IOException {
    stack.dropCaches();
    // What reads at random says so to the kernel (FADV_RANDOM), as key-value stores do.
    stack.readAhead(workload.isSequential());
    String mark = "rdio-two-level-" + ProcessHandle.current().pid();
    try (ControlGroup storage = ControlGroup.create(mark + "-storage");
        ControlGroup compute = ControlGroup.create(mark + "-compute");
        ReaderJvm reader = ReaderJvm.start(stack, workload, blocks, bytesPerSecond)) {
      for (ControlGroup group : new ControlGroup[] {storage, compute}) {
        group.countReads(stack.diskNumber());
        group.countReads(stack.namespaceNumber());
      }
      storage.add(ProcessHandle.current().pid());
      int capacity = TwoLevelSimulation.capacity(blocks, fraction);
      try (RealStorageCache level2 =
          RealStorageCache.start(
              policy, stack, capacity, PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH)) {
        reader.await("ready");
        compute.limitMemory((long) blocks / TwoLevelSimulation.LEVEL1_SHARE * Workload.BLOCK_BYTES);
        compute.add(reader.pid());
        reader.goOn();
        reader.await("warm");
        Sample warm = sample(compute, storage, level2);
        reader.goOn();
        reader.await("done");
        Sample end = sample(compute, storage, level2);
        return new RealResult(
            workload.label(),
            policy,
            fraction,
            end.asked - warm.asked,
            end.demanded - warm.demanded,
            end.prefetched - warm.prefetched,
            end.extraNetwork - warm.extraNetwork,
            compute.pageCacheBytes(),
            stack.imageBytesInMemory(),
            simulated(workload, policy, fraction));
      }
    }
  }

  private Sample sample(ControlGroup compute, ControlGroup storage, RealStorageCache level2)
      throws IOException {
    return new Sample(
        compute.bytesRead(stack.namespaceNumber()),
        compute.bytesRead(stack.diskNumber()),
        storage.bytesRead(stack.diskNumber()),
        level2.extraNetworkBytes());
  }

  private double simulated(Workload workload, String policy, double fraction) throws IOException {
    return new TwoLevelSimulation(PageCache.Model.LINUX, blocks, RealWorkloads.WARM_UP)
        .run(workload, policy, fraction)
        .hitRatio();
  }
}
