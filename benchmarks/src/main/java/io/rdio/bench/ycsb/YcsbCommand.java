// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench ycsb}: its options. */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    description = {
      "Positional reads by many threads (YCSB's workload C): stock HDFS and RDIO.",
      "On a throwaway cluster on this machine, with Zipf and uniform choice of what is read: how"
          + " latency grows with throughput. Exits with 1 if RDIO carried less than 99 %% of its"
          + " bytes. Needs root."
    })
public final class YcsbCommand extends ClusterBenchmarkCommand<Point> {
  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Number of files. Default: ${DEFAULT-VALUE}.")
  private int files = 128;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      description = "Size of each. Default: ${DEFAULT-VALUE}.")
  private String fileSize = "8m";

  @Option(
      names = "--read-sizes",
      paramLabel = "SIZES",
      description =
          "Sizes of reads: a list, or a range of which doublings are taken. Default:"
              + " ${DEFAULT-VALUE}.")
  private String readSizes = "32k..1m";

  @Option(
      names = "--distribution",
      paramLabel = "zipf|uniform|both",
      description = "How reads are spread over the data. Default: ${DEFAULT-VALUE}.")
  private String distribution = "both";

  @Option(
      names = "--threads",
      split = ",",
      paramLabel = "N",
      description = "Numbers of threads, a point of the curve each. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads = List.of(1, 4, 16, 64, 256);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds at each point. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each way's pass in a round. Default: ${DEFAULT-VALUE}.")
  private double seconds = 2;

  @Option(
      names = "--data-cache",
      paramLabel = "SIZE",
      description =
          "Compare also RDIO with a block data cache (dfs.client.rdio.data.cache) of this size."
              + " Default: no.")
  private String dataCache = "0";

  @Option(
      names = "--metadata-plane",
      paramLabel = "grpc|device",
      description =
          "Where RDIO has maps from: the DataNode, or the device, as when that is silent. Default:"
              + " ${DEFAULT-VALUE}.")
  private String plane = "grpc";

  @Override
  protected ClusterBenchmark<Point> benchmark() {
    return new YcsbBenchmark(
        files,
        Sizes.parse(fileSize),
        Sizes.parseReads(readSizes),
        Distribution.parse(distribution),
        threads,
        rounds,
        seconds,
        dataCache.equals("0") ? 0 : Sizes.parse(dataCache),
        plane);
  }
}
