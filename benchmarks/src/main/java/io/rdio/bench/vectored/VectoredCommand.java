// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench vectored}: its options. */
@Command(
    name = "vectored",
    mixinStandardHelpOptions = true,
    description = {
      "A few columns of a Parquet file, by Parquet's own reader, with its vectored reads on and off:"
          + " by stock HDFS, by RDIO that opens the device and by the agent of this host.",
      "On a throwaway cluster on this machine. Needs root."
    })
public final class VectoredCommand extends ClusterBenchmarkCommand<Scene> {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the file, about. Default: ${DEFAULT-VALUE}.")
  private String size = "256m";

  @Option(
      names = "--row-group",
      paramLabel = "SIZE",
      description = "Size of a row group, about. Default: ${DEFAULT-VALUE}, which is Parquet's.")
  private String rowGroup = "128m";

  @Option(
      names = "--columns",
      paramLabel = "N",
      description = "Columns of the file. Default: ${DEFAULT-VALUE}.")
  private int columns = 20;

  @Option(
      names = "--read",
      paramLabel = "N",
      description = "Columns that are read, evenly spread. Default: ${DEFAULT-VALUE}.")
  private int read = 3;

  @Option(
      names = "--scans",
      paramLabel = "N",
      description = "Times that each pass reads them. Default: ${DEFAULT-VALUE}.")
  private int scans = 10;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that are measured. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Override
  protected ClusterBenchmark<Scene> benchmark() {
    return new VectoredBenchmark(
        Sizes.parse(size), Sizes.parse(rowGroup), columns, read, scans, rounds);
  }
}
