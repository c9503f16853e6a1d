// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.io.IOException;
import java.util.Map;

/**
 * A macro benchmark: its workload, and what is measured.
 *
 * @param <K> what is measured
 */
public interface ClusterBenchmark<K> {
  /** Of all files that it writes. */
  long bytes();

  /** Measures; takes a few minutes. */
  void run(BenchCluster cluster, Passes<K> passes) throws IOException;

  /** The workload in words, as a report has it behind the cluster's. */
  String describe();

  /** The workload for JSON. */
  Map<String, Object> fields();

  /** What the passes say. */
  Findings findings(Passes<K> passes, ClusterOptions where);
}
