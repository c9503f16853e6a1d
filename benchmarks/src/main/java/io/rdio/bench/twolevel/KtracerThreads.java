// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** The threads of all KTracers in this process. */
final class KtracerThreads {
  /** One takes evictions and finds their places, the other one tells of them. */
  private static final Set<String> NAMES = Set.of("rdio-ktracer", "rdio-evictions");

  /** Names of a gRPC client's threads begin so; they end somewhat later than those. */
  private static final String CLIENTS = "rdio-client-";

  private KtracerThreads() {}

  /** Of those that end meanwhile there is nothing to be known. */
  private static Stream<ThreadInfo> alive(ThreadMXBean threads) {
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds())).filter(Objects::nonNull);
  }

  /** Whether there are any, or gRPC's for them. */
  static boolean areAlive() {
    return alive(ManagementFactory.getThreadMXBean())
        .map(ThreadInfo::getThreadName)
        .anyMatch(name -> NAMES.contains(name) || name.startsWith(CLIENTS));
  }

  /** User and system time of those that are alive, gRPC's apart, in nanoseconds. */
  static long cpuNanos() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return alive(threads)
        .filter(thread -> NAMES.contains(thread.getThreadName()))
        .mapToLong(thread -> Math.max(0, threads.getThreadCpuTime(thread.getThreadId())))
        .sum();
  }
}
