// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.report.CsvTable;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench ktracer}: what Extent Cache and batching are worth. */
@Command(
    name = "ktracer",
    mixinStandardHelpOptions = true,
    description = {
      "Measures what KTracer takes for each page that falls out of the compute node's page cache,"
          + " on both nodes as 'bin/rdio bench two-level' has them: as it is, without Extent Cache,"
          + " without batching, and without both.",
      "Needs root, eBPF and control groups of version 1; makes loop devices on the disk below the"
          + " folder for temporary files."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class KtracerCommand implements Callable<Integer> {
  private static final String COLUMNS = "%-16s %-20s %13s %10s %15s %8s %8s %10s";

  @Option(
      names = "--fs",
      paramLabel = "ext4|xfs",
      description = "The compute node's file system. Default: ${DEFAULT-VALUE}.")
  private String fileSystem = "ext4";

  @Option(
      names = "--data",
      paramLabel = "SIZE",
      description = "The data set; level 1 is a quarter of it. Default: ${DEFAULT-VALUE}.")
  private String data = "128m";

  @Option(
      names = "--rate",
      paramLabel = "SIZE",
      description = "Read no more than this a second. Default: ${DEFAULT-VALUE}.")
  private String rate = "64m";

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "W",
      description =
          "tpch-scans, ycsb-c-uniform, ycsb-c-zipf0.99. Default: tpch-scans,ycsb-c-uniform.")
  private List<String> workloads = List.of("tpch-scans", "ycsb-c-uniform");

  @Option(names = "--csv", description = "Print comma-separated values instead of a table.")
  private boolean csv;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      List<Workload> what = workloads.stream().map(RealWorkloads::named).toList();
      long bytes = Sizes.parse(data);
      long bytesPerSecond = Sizes.parse(rate);
      return ClusterCommand.run(() -> run(what, bytes, bytesPerSecond));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int run(List<Workload> what, long bytes, long bytesPerSecond) throws IOException {
    CsvTable table = CsvTable.of(spec.commandLine().getOut(), csv, COLUMNS);
    table.print(KtracerResult.CSV_HEADING);
    try (TwoLevelStack stack = TwoLevelStack.create(fileSystem, bytes)) {
      KtracerCosts costs =
          new KtracerCosts(stack, (int) (bytes / Workload.BLOCK_BYTES), bytesPerSecond);
      // Else the first row alone had code that is not compiled yet.
      costs.run(what.get(0), KtracerVariant.AS_IT_IS);
      for (Workload workload : what) {
        for (KtracerVariant variant : KtracerVariant.values()) {
          table.print(costs.run(workload, variant).csv());
        }
      }
    }
    return 0;
  }
}
