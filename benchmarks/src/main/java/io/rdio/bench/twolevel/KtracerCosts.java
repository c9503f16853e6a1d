// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.eviction.EvictionTracer;
import io.rdio.exclusive.prefcache.PrefCacheOptions;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Measures what KTracer's own threads take while a data set is read, as {@link RealTwoLevels} has
 * it read with BNEX, by a storage cache of all that level 1 does not hold. What gRPC's threads take
 * to send is in no figure, nor what the evicting task pays in the kernel. For one thread.
 *
 * @param stack of one compute node
 */
record KtracerCosts(TwoLevelStack stack) {
  /** Longer than the kernel keeps a run back and blocks wait for their neighbours. */
  private static final long SETTLED_MILLIS = 500;

  /**
   * What one KTracer took.
   *
   * @param counts after warming up
   * @param memory that it had in the end
   */
  record Costs(KtracerResult.Counts counts, Footprint memory) {}

  /** Has a task read, from empty caches, with KTracer set so. */
  Costs run(ReaderTask task, EvictionTracer.Settings settings) throws IOException {
    stack.dropCaches();
    stack.readAhead(task.reads().isSequential());
    stack.cacheImage(true);
    String name = "rdio-ktracer-" + ProcessHandle.current().pid();
    try (ControlGroup compute = ControlGroup.create(name, stack.teardown());
        ReaderJvm reader = ReaderJvm.start(stack, task);
        NearExclusive agents = start(task.blocks(), settings)) {
      reader.await("ready");
      compute.limitMemory(
          (long) task.blocks() / TwoLevelSimulation.LEVEL1_SHARE * Workload.BLOCK_BYTES);
      compute.add(reader.pid());
      reader.goOn();
      reader.await("warm");
      KtracerResult.Counts warm = settled(agents);
      reader.goOn();
      reader.awaitDone();
      KtracerResult.Counts counts = settled(agents).since(warm);
      return new Costs(counts, agents.endTracers());
    }
  }

  private NearExclusive start(int blocks, EvictionTracer.Settings settings) throws IOException {
    return NearExclusive.start(
        new NearExclusive.Storage(
            RealStorageCache.device(stack),
            TwoLevelSimulation.capacity(blocks, 1),
            SegmentPolicy.FIFO,
            PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH),
        stack.views().stream().map(TwoLevelStack.View::node).toList(),
        settings);
  }

  /** The counts when all has been told that was evicted by now; the reader waits. */
  private static KtracerResult.Counts settled(NearExclusive agents) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(SETTLED_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while KTracer told of evictions");
    }
    return KtracerResult.Counts.of(KtracerThreads.cpuNanos(), agents.counters());
  }
}
