// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.routing.RoutingBenchmark.Point;
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

/** {@code bench routing}: options, and what becomes of the result. */
@Command(
    name = "routing",
    mixinStandardHelpOptions = true,
    description = {
      "Positional reads while the device is quiet and while it is busy: stock HDFS, RDIO, and RDIO"
          + " with dfs.client.rdio.routing.",
      "On a throwaway cluster on this machine; with --backing disk --page-cache warm the DataNode"
          + " has what the busy device does not give. Exits with 1 if RDIO carried less than 99 %%"
          + " of its bytes. Needs root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class RoutingCommand implements Callable<Integer> {
  @Mixin private ClusterOptions where;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the file. Default: ${DEFAULT-VALUE}.")
  private String size = "1g";

  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of reads. Default: ${DEFAULT-VALUE}.")
  private String sizes = "4k,1m";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that read. Default: ${DEFAULT-VALUE}.")
  private int threads = 1;

  @Option(
      names = "--load-threads",
      paramLabel = "N",
      description = "Threads that keep the device busy. Default: ${DEFAULT-VALUE}.")
  private int loadThreads = 8;

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds = 2;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each pass. Default: ${DEFAULT-VALUE}.")
  private double seconds = 8;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    RoutingOptions options;
    try {
      where.check();
      List<Integer> readSizes = Sizes.parseReads(sizes);
      options =
          new RoutingOptions(Sizes.parse(size), readSizes, threads, loadThreads, rounds, seconds);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(options));
  }

  private int run(RoutingOptions options) throws IOException {
    Passes<Point> passes = RoutingBenchmark.run(options, where, System.out);
    RoutingResult result =
        new RoutingResult(
            ClusterOptions.typed(spec), Machine.here(Clock.systemUTC()), options, where, passes);
    System.out.print(result.text());
    where.write(result);
    return passes.wrongWays().isEmpty() ? 0 : 1;
  }
}
