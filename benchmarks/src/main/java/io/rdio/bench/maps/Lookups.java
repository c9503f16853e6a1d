// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.maps;

import com.sun.management.ThreadMXBean;
import io.rdio.core.block.BlockKey;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/** Looks the same keys up from so many threads at once, each beginning at a place of its own. */
final class Lookups {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Between looks at the clock. */
  private static final int BURST = 256;

  private final BlockKey[] keys;
  private final Predicate<BlockKey> lookup;
  private volatile long endNanos;
  private final LongAdder done = new LongAdder();
  private final LongAdder cpuNanos = new LongAdder();
  private final LongAdder allocatedBytes = new LongAdder();

  /**
   * @param perSecond lookups of all threads together
   * @param cpuNanos of the threads, for each lookup; waiting for a core does not count
   * @param bytes allocated for each lookup
   */
  record Result(double perSecond, double cpuNanos, double bytes) {}

  /**
   * @param keys a power of two of them
   * @param lookup false if it did not find the key, which it must
   */
  Lookups(BlockKey[] keys, Predicate<BlockKey> lookup) {
    this.keys = keys;
    this.lookup = lookup;
  }

  Result run(int threads, double seconds) throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch begun = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int from = (int) ((long) keys.length * i / threads);
      Thread thread = new Thread(() -> work(from, ready, begun), "lookups-" + i);
      all.add(thread);
      thread.start();
    }
    ready.await();
    long start = System.nanoTime();
    endNanos = start + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    begun.countDown();
    for (Thread thread : all) {
      thread.join();
    }
    double took = System.nanoTime() - start;
    return new Result(
        done.sum() / took * TimeUnit.SECONDS.toNanos(1),
        (double) cpuNanos.sum() / done.sum(),
        (double) allocatedBytes.sum() / done.sum());
  }

  private void work(int from, CountDownLatch ready, CountDownLatch begun) {
    ready.countDown();
    try {
      begun.await();
    } catch (InterruptedException e) {
      return;
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    long cpu = THREADS.getCurrentThreadCpuTime();
    long end = endNanos;
    long count = 0;
    int at = from;
    while (System.nanoTime() - end < 0) {
      for (int i = 0; i < BURST; i++, at++) {
        BlockKey key = keys[at & (keys.length - 1)];
        if (!lookup.test(key)) {
          throw new IllegalStateException(key + " was not found");
        }
      }
      count += BURST;
    }
    cpuNanos.add(THREADS.getCurrentThreadCpuTime() - cpu);
    allocatedBytes.add(THREADS.getCurrentThreadAllocatedBytes() - allocated);
    done.add(count);
  }
}
