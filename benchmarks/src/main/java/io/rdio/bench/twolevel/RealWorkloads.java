// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.util.List;

/** What {@code bench two-level} reads: the simulator's workloads, shorter, for a real disk. */
final class RealWorkloads {
  /** Counted is from when so many blocks were read for each one of the data set. */
  static final int WARM_UP = 3;

  private static final int QUERIES = 4;
  private static final int YCSB_READS = 2 * WARM_UP;
  private static final long SEED = 42;

  /** All of them. */
  static final List<Workload> ALL =
      List.of(
          new TableScans(5, QUERIES, SEED),
          new YcsbC(0, YCSB_READS, SEED),
          new YcsbC(0.99, YCSB_READS, SEED));

  private RealWorkloads() {}

  /**
   * Returns the workload of that label.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Workload named(String label) {
    return ALL.stream()
        .filter(workload -> workload.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no workload \""
                        + label
                        + "\"; there are "
                        + String.join(", ", ALL.stream().map(Workload::label).toList())));
  }
}
