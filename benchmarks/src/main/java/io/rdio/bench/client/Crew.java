// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.hdfs.demo.ReadReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Threads that start a piece of work together. */
final class Crew {
  private static final double NANOS = 1e9;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The work of one thread. */
  interface Work {
    void run(int thread) throws IOException;
  }

  /**
   * How long it took.
   *
   * @param seconds from the common start to the end of the last thread
   * @param cpuSeconds of the whole process in that time
   * @param threadCpuSeconds of that, what its own threads used for their work: what is missing is
   *     the JVM's, which compiles and collects garbage, and others' that work for them
   */
  record Effort(double seconds, double cpuSeconds, double threadCpuSeconds) {}

  private Crew() {}

  /** Runs the work in so many threads; fails with the first failure after all have ended. */
  static Effort run(int threads, Work work) throws IOException {
    long[] start = new long[1];
    double[] cpuStart = new double[1];
    LongAdder threadNanos = new LongAdder();
    CyclicBarrier barrier =
        new CyclicBarrier(
            threads,
            () -> {
              cpuStart[0] = ReadReport.processCpuSeconds();
              start[0] = System.nanoTime();
            });
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  barrier.await();
                  long begun = THREADS.getCurrentThreadCpuTime();
                  work.run(thread);
                  threadNanos.add(THREADS.getCurrentThreadCpuTime() - begun);
                  return null;
                }));
      }
      awaitAll(running);
      double seconds = (System.nanoTime() - start[0]) / NANOS;
      double cpu = ReadReport.processCpuSeconds() - cpuStart[0];
      return new Effort(seconds, cpu, threadNanos.sum() / NANOS);
    } finally {
      pool.shutdownNow();
    }
  }

  private static void awaitAll(List<Future<?>> running) throws IOException {
    IOException failure = null;
    for (Future<?> one : running) {
      try {
        one.get();
      } catch (ExecutionException e) {
        failure = failure == null ? new IOException(e.getCause()) : failure;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while reading", e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
