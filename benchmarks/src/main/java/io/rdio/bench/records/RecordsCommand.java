// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import io.rdio.bench.client.Mix;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.records.RecordsBenchmark.Point;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench records}: its options. */
@Command(
    name = "records",
    mixinStandardHelpOptions = true,
    description = {
      "YCSB's workloads Load, A, B, C, D and F on records that are files, by many threads: latency"
          + " and throughput of stock HDFS and of RDIO, which reads; both write by stock HDFS. With"
          + " --pool also of RDIO by the agent of the host, which reads and writes. Besides of"
          + " local files of the same volume, which are the optimum, and of C of the raw device.",
      "On a throwaway cluster on this machine. Needs root."
    })
public final class RecordsCommand extends ClusterBenchmarkCommand<Point> {
  @Option(
      names = "--workloads",
      split = ",",
      paramLabel = "W",
      description = "Workloads. Default: ${DEFAULT-VALUE}.")
  private List<String> workloads = List.of("load", "A", "B", "C", "D", "F");

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records at first. Default: ${DEFAULT-VALUE}.")
  private int records = 500;

  @Option(
      names = "--record-size",
      paramLabel = "SIZE",
      description = "Size of a record, a multiple of 4k. Default: ${DEFAULT-VALUE}.")
  private String recordSize = "64k";

  @Option(
      names = "--exponent",
      paramLabel = "S",
      description = "Of Zipf's law; 0 for uniform. Default: ${DEFAULT-VALUE}.")
  private double exponent = 0.99;

  @Option(
      names = "--threads",
      split = ",",
      paramLabel = "N",
      description = "Numbers of threads, a point of the curve each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads = List.of(16, 32, 64, 128, 256);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds at each point. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds of each way's pass in a round, which ends before that if it has written 256m."
              + " Default: ${DEFAULT-VALUE}.")
  private double seconds = 2;

  @Option(
      names = "--pool",
      paramLabel = "SIZE",
      description =
          "Also RDIO by the agent of the host, which writes, too, to so much of slots that the"
              + " DataNode keeps free: one of 1m for each record that a pass writes, of records"
              + " above 1m a larger one. When they are used up stock HDFS writes. Default: none.")
  private String pool = "none";

  @Override
  protected ClusterBenchmark<Point> benchmark() {
    List<Mix> mixes = new ArrayList<>();
    for (String workload : workloads) {
      mixes.add(Mix.parse(workload));
    }
    List<Integer> bytes = Sizes.parseReads(recordSize);
    if (bytes.size() != 1) {
      throw new IllegalArgumentException("--record-size " + recordSize + ": take one size");
    }
    long poolBytes = pool.equals("none") ? 0 : Sizes.parse(pool);
    return new RecordsBenchmark(
        mixes, records, bytes.get(0), exponent, threads, rounds, seconds, poolBytes);
  }
}
