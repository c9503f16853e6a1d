// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.report.CsvTable;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench two-level}: hit ratios and traffic of the storage node's cache, for real. */
@Command(
    name = "two-level",
    mixinStandardHelpOptions = true,
    description = {
      "Measures what the storage node's page cache is worth below the compute node's, both on this"
          + " machine: with nothing (Vanilla), inclusive (Incl) and driven by KTracer and PrefCache"
          + " (BNEX), beside what 'bin/rdio simulate --two-level' says of the same reads; of"
          + " several compute nodes by --clients.",
      "Needs root, eBPF and control groups of version 1; makes loop devices on the disk below the"
          + " folder for temporary files."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class TwoLevelCommand implements Callable<Integer> {
  private static final String COLUMNS =
      "%-16s %-13s %22s %16s %19s %13s %19s %21s %19s %12s %12s %13s %9s";

  /** For each there is a JVM, whose heap of 64 MB is touched. */
  private static final int CLIENTS_MAX = 16;

  @Mixin private StackOptions where = new StackOptions("256m");

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Compute nodes, each with a view of the namespace, a page cache, a KTracer and an order"
              + " of reads of its own, that read the same data at the same time. Default:"
              + " ${DEFAULT-VALUE}.")
  private int clients = 1;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "W",
      description = "tpch-scans, ycsb-c-uniform, ycsb-c-zipf0.99; all unless given.")
  private List<String> workloads = RealWorkloads.ALL.stream().map(Workload::label).toList();

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "P",
      description = "Vanilla, Incl, BNEX, BNEX-S3-FIFO; all unless given.")
  private List<String> policies = RealStorageCache.POLICIES;

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "PERCENT",
      description =
          "The storage cache, in percent of what one level 1 does not hold. Default:"
              + " 25%%,50%%,75%%,100%%.")
  private List<String> sizes = List.of("25%", "50%", "75%", "100%");

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      List<Workload> what = workloads.stream().map(RealWorkloads::named).toList();
      List<String> how = policies.stream().map(StorageCaches::canonicalName).toList();
      List<Double> fractions = sizes.stream().map(Fractions::parse).toList();
      if (!RealStorageCache.POLICIES.containsAll(how)) {
        throw new IllegalArgumentException(
            "of the policies only " + RealStorageCache.POLICIES + " run for real");
      }
      if (clients < 1 || clients > CLIENTS_MAX) {
        throw new IllegalArgumentException(
            "--clients " + clients + ": from 1 to " + CLIENTS_MAX + " compute nodes");
      }
      int blocks = where.blocks();
      long bytesPerSecond = where.bytesPerSecond();
      return ClusterCommand.run(() -> run(what, how, fractions, blocks, bytesPerSecond));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int run(
      List<Workload> what,
      List<String> how,
      List<Double> fractions,
      int blocks,
      long bytesPerSecond)
      throws IOException {
    CsvTable table = where.table(spec.commandLine().getOut(), COLUMNS);
    table.print(RealResult.CSV_HEADING);
    try (TwoLevelStack stack = TwoLevelStack.create(where.fileSystem(), where.bytes(), clients)) {
      RealTwoLevels levels = new RealTwoLevels(stack, blocks, bytesPerSecond);
      for (Workload workload : what) {
        for (double fraction : fractions) {
          for (String policy : how) {
            table.print(levels.run(workload, policy, fraction).csv());
          }
        }
      }
    }
    return 0;
  }
}
