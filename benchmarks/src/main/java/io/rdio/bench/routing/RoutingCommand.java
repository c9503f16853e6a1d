// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.routing;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.routing.RoutingBenchmark.Point;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench routing}: its options. */
@Command(
    name = "routing",
    mixinStandardHelpOptions = true,
    description = {
      "Reads while the device is quiet and while it is busy: stock HDFS, RDIO, and RDIO with"
          + " dfs.client.rdio.routing.",
      "On a throwaway cluster on this machine; with --backing disk --page-cache warm the DataNode"
          + " has what the busy device does not give. Exits with 1 if RDIO carried less than 99 %%"
          + " of its bytes. Needs root."
    })
public final class RoutingCommand extends ClusterBenchmarkCommand<Point> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description =
          "Size of what is read: one file, or with --stream as many as there are threads, all"
              + " together. Default: ${DEFAULT-VALUE}.")
  private String size = "1g";

  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of reads. Default: 4k,1m; with --stream 1m.")
  private @Nullable String sizes;

  @Option(
      names = "--routing",
      paramLabel = "true|adaptive",
      description = "Value of dfs.client.rdio.routing. Default: ${DEFAULT-VALUE}.")
  private String routing = "true";

  @Option(
      names = "--stream",
      description = "Read from start to end by streams. Default: by position.")
  private boolean stream;

  @Option(
      names = "--threads",
      split = ",",
      paramLabel = "N",
      description = "Numbers of threads that read, one after the other. Default: 1.")
  private List<Integer> threads = List.of(1);

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

  @Override
  protected ClusterBenchmark<Point> benchmark() {
    return new RoutingBenchmark(
        Sizes.parse(size),
        Sizes.parseReads(sizes == null ? usualSizes() : sizes),
        threads,
        loadThreads,
        rounds,
        seconds,
        routing,
        stream);
  }

  private String usualSizes() {
    return stream ? "1m" : "4k,1m";
  }
}
