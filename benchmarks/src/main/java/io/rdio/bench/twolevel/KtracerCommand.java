// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.report.CsvTable;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Mixin private StackOptions where = new StackOptions("128m");

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "W",
      description =
          "tpch-scans, ycsb-c-uniform, ycsb-c-zipf0.99. Default: tpch-scans,ycsb-c-uniform.")
  private List<String> workloads = List.of("tpch-scans", "ycsb-c-uniform");

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      List<Workload> what = workloads.stream().map(RealWorkloads::named).toList();
      int blocks = where.blocks();
      long bytesPerSecond = where.bytesPerSecond();
      return ClusterCommand.run(() -> run(what, blocks, bytesPerSecond));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int run(List<Workload> what, int blocks, long bytesPerSecond) throws IOException {
    CsvTable table = where.table(spec.commandLine().getOut(), COLUMNS);
    table.print(KtracerResult.CSV_HEADING);
    try (TwoLevelStack stack = TwoLevelStack.create(where.fileSystem(), where.bytes())) {
      KtracerCosts costs = new KtracerCosts(stack);
      Path data = stack.views().get(0).data();
      // Else the first row alone had code that is not compiled yet.
      ReaderTask first = ReaderTask.ofFile(data, blocks, what.get(0), 0, bytesPerSecond);
      costs.run(first, KtracerVariant.AS_IT_IS.settings());
      for (Workload workload : what) {
        ReaderTask task = ReaderTask.ofFile(data, blocks, workload, 0, bytesPerSecond);
        for (KtracerVariant variant : KtracerVariant.values()) {
          KtracerResult.Counts counts = costs.run(task, variant.settings()).counts();
          table.print(new KtracerResult(workload.label(), variant.label(), counts).csv());
        }
      }
    }
    return 0;
  }
}
