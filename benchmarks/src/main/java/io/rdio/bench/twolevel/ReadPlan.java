// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.time.Duration;
import java.util.List;

/**
 * How clients read a file of HDFS; a pass reads as many bytes as the file has.
 *
 * @param workload one of {@link #WORKLOADS}
 * @param warmUps passes before anything is counted
 * @param passes that are counted
 * @param pause after each pass, warm-ups too
 */
record ReadPlan(String workload, int warmUps, int passes, Duration pause) {
  /** A pass reads the file from its beginning to its end, as a stream. */
  static final String SCANS = "scans";

  /** It reads chunks anywhere, by positional reads, some much more often than others. */
  static final String ZIPF = "zipf0.99";

  static final List<String> WORKLOADS = List.of(SCANS, ZIPF);

  int allPasses() {
    return warmUps + passes;
  }
}
