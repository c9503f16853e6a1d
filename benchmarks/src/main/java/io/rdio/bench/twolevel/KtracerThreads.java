// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.LongStream;

/** The threads of all KTracers in this process. */
final class KtracerThreads {
  /** One takes evictions and finds their places, the other one tells of them. */
  private static final Set<String> NAMES = Set.of("rdio-ktracer", "rdio-evictions");

  private KtracerThreads() {}

  private static LongStream ids(ThreadMXBean threads) {
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(thread -> thread != null && NAMES.contains(thread.getThreadName())) // null: ended
        .mapToLong(ThreadInfo::getThreadId);
  }

  /** Whether there are any. */
  static boolean areAlive() {
    return ids(ManagementFactory.getThreadMXBean()).findAny().isPresent();
  }

  /** User and system time of those that are alive, in nanoseconds. */
  static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return ids(threads).map(id -> Math.max(0, threads.getThreadCpuTime(id))).sum();
  }
}
