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
  /** Of all files that it has at the same time, on one DataNode. */
  long bytes();

  /** DataNodes that it needs, each with a volume. */
  default int dataNodes() {
    return 1;
  }

  /** Keys of daemons and clients besides those that every benchmark has. */
  default Map<String, String> keys() {
    return Map.of();
  }

  /** Memory for JVMs that it has beside those of every benchmark: a client at a time, the agent. */
  default long jvmBytes() {
    return 0;
  }

  /** Which bytes were compared with what was written, and by whom; what differs ends the run. */
  default String verified() {
    return "all files by every way";
  }

  /** Measures; takes a few minutes. */
  void run(BenchCluster cluster, Passes<K> passes) throws IOException;

  /** The workload in words, as a report has it behind the cluster's. */
  String describe();

  /** The workload for JSON. */
  Map<String, Object> fields();

  /** What the passes say. */
  Findings findings(Passes<K> passes, ClusterOptions where);
}
