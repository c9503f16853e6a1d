// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import io.rdio.bench.ycsb.YcsbOptions.Distribution;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench ycsb}: options, and what becomes of the result. */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    description = {
      "Positional reads by many threads (YCSB's workload C): stock HDFS and RDIO.",
      "On a throwaway cluster on this machine, with Zipf and uniform choice of what is read: how"
          + " latency grows with throughput. Exits with 1 if RDIO carried less than 99 %% of its"
          + " bytes. Needs root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class YcsbCommand implements Callable<Integer> {
  @Mixin private ClusterOptions where;

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

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    YcsbOptions options;
    try {
      where.check();
      options =
          new YcsbOptions(
              files,
              Sizes.parse(fileSize),
              Sizes.parseReads(readSizes),
              Distribution.parse(distribution),
              threads,
              rounds,
              seconds,
              dataCache.equals("0") ? 0 : Sizes.parse(dataCache));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(options));
  }

  private int run(YcsbOptions options) throws IOException {
    Passes<Point> passes = YcsbBenchmark.run(options, where, System.out);
    YcsbResult result =
        new YcsbResult(
            ClusterOptions.typed(spec), Machine.here(Clock.systemUTC()), options, where, passes);
    System.out.print(result.text());
    where.write(result);
    return passes.wrongWays().isEmpty() ? 0 : 1;
  }
}
