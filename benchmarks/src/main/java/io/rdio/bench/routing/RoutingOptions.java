// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import java.util.Collections;
import java.util.List;

/**
 * What {@code bench routing} is to do.
 *
 * @param bytes of the file that is read, and of the one that the load reads
 * @param sizes of positional reads
 * @param threads that read
 * @param loadThreads that keep the device busy, with reads of 1 MiB
 * @param rounds behind a warm-up; each is quiet once and busy once
 * @param seconds of each pass
 */
record RoutingOptions(
    long bytes, List<Integer> sizes, int threads, int loadThreads, int rounds, double seconds) {
  RoutingOptions {
    requirePositive("--threads", threads);
    requirePositive("--load-threads", loadThreads);
    requirePositive("--rounds", rounds);
    if (!(seconds > 0)) {
      throw new IllegalArgumentException("--seconds " + seconds + ": must be greater than 0");
    }
    if (bytes < Collections.max(sizes) || bytes < RoutingBenchmark.LOAD_BYTES) {
      throw new IllegalArgumentException("--size " + bytes + ": less than a read");
    }
  }

  private static void requirePositive(String option, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(option + " " + value + ": must be 1 or more");
    }
  }
}
