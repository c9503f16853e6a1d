// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.exclusive.prefcache.PrefCacheOptions;
import io.rdio.exclusive.prefcache.SegmentPolicy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Measures what KTracer's own threads take while a workload is read, as {@link RealTwoLevels} has
 * it read with BNEX, by a storage cache of all that level 1 does not hold. What gRPC's threads take
 * to send is in no figure, nor what the evicting task pays in the kernel. For one thread.
 *
 * @param blocks of the data set
 * @param bytesPerSecond no more is read
 */
record KtracerCosts(TwoLevelStack stack, int blocks, long bytesPerSecond) {
  /** KTracer's: one takes evictions and finds their places, the other one tells of them. */
  private static final Set<String> THREADS = Set.of("rdio-ktracer", "rdio-evictions");

  /** Longer than the kernel keeps a run back and blocks wait for their neighbours. */
  private static final long SETTLED_MILLIS = 500;

  /** Runs one variant, from empty caches. */
  KtracerResult run(Workload workload, KtracerVariant variant) throws IOException {
    stack.dropCaches();
    stack.readAhead(workload.isSequential());
    stack.cacheImage(true);
    String name = "rdio-ktracer-" + ProcessHandle.current().pid();
    try (ControlGroup compute = ControlGroup.create(name);
        ReaderJvm reader = ReaderJvm.start(stack, workload, blocks, bytesPerSecond);
        NearExclusive agents = start(variant)) {
      reader.await("ready");
      compute.limitMemory((long) blocks / TwoLevelSimulation.LEVEL1_SHARE * Workload.BLOCK_BYTES);
      compute.add(reader.pid());
      reader.goOn();
      reader.await("warm");
      KtracerResult.Counts warm = settled(agents);
      reader.goOn();
      reader.await("done");
      return new KtracerResult(workload.label(), variant.label(), settled(agents).since(warm));
    }
  }

  private NearExclusive start(KtracerVariant variant) throws IOException {
    return NearExclusive.start(
        RealStorageCache.device(stack),
        TwoLevelSimulation.capacity(blocks, 1),
        SegmentPolicy.FIFO,
        PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH,
        variant.settings());
  }

  /** The counts when all has been told that was evicted by now; the reader waits. */
  private static KtracerResult.Counts settled(NearExclusive agents) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(SETTLED_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while KTracer told of evictions");
    }
    return KtracerResult.Counts.of(cpuNanos(), agents.counters());
  }

  /** User and system time of KTracer's threads, in nanoseconds. */
  private static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && THREADS.contains(thread.getThreadName())) { // null: just ended
        sum += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
      }
    }
    return sum;
  }
}
