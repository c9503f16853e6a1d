// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.report.CsvTable;
import io.rdio.exclusive.prefcache.PrefCacheOptions;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench near-exclusive}: what the storage node's cache is worth below HDFS. */
@Command(
    name = "near-exclusive",
    mixinStandardHelpOptions = true,
    description = {
      "Has stock HDFS clients read a file that is larger than the DataNode's page cache, with the"
          + " storage node's page cache below: none (Vanilla), inclusive (Incl), and driven by"
          + " KTracer and PrefCache (BNEX). Throughput, and what the storage node's disk reads.",
      "Needs root, eBPF and control groups of version 1; makes loop devices on the disk below the"
          + " folder for temporary files."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class NearExclusiveCommand implements Callable<Integer> {
  private static final String COLUMNS =
      "%-8s %-12s %22s %7s %9s %18s %16s %13s %12s %19s %21s %19s %12s %12s";

  @Option(
      names = "--fs",
      paramLabel = "ext4|xfs",
      description = "File system of the DataNode's volume. Default: ${DEFAULT-VALUE}.")
  private String fileSystem = "ext4";

  @Option(
      names = "--data",
      paramLabel = "SIZE",
      description =
          "The file, a multiple of 64k; the DataNode's memory is a quarter of it. Default:"
              + " ${DEFAULT-VALUE}.")
  private String data = "512m";

  @Option(
      names = "--disk-rate",
      paramLabel = "SIZE",
      description =
          "What the storage node's disk reads in a second, on demand and ahead together. Default:"
              + " ${DEFAULT-VALUE}.")
  private String diskRate = "100m";

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "W",
      description =
          "scans: from beginning to end; zipf0.99: 64 KiB anywhere. A pass is as many bytes as the"
              + " file has. Default: both.")
  private List<String> workloads = ReadPlan.WORKLOADS;

  @Option(
      names = "--policy",
      split = ",",
      paramLabel = "P",
      description = "Vanilla, Incl, BNEX, BNEX-S3-FIFO. Default: the first three.")
  private List<String> policies = List.of("Vanilla", "Incl", "BNEX");

  @Option(
      names = "--size",
      split = ",",
      paramLabel = "PERCENT",
      description = "The storage cache, in percent of what level 1 does not hold. Default: 100%%.")
  private List<String> sizes = List.of("100%");

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      description = "Passes that are not counted. Default: ${DEFAULT-VALUE}.")
  private int warmUps = 2;

  @Option(
      names = "--passes",
      paramLabel = "N",
      description = "Passes that are counted. Default: ${DEFAULT-VALUE}.")
  private int passes = 3;

  @Option(
      names = "--pause",
      split = ",",
      paramLabel = "SECONDS",
      description =
          "Between two passes, when clients read nothing and the disk can be read ahead; each in"
              + " turn. Default: 0,8.")
  private List<Integer> pauses = List.of(0, 8);

  @Option(
      names = "--max-queue",
      paramLabel = "N",
      description =
          "Requests of the DataNode under way up to which BNEX prefetches. Default:"
              + " ${DEFAULT-VALUE}.")
  private int maxQueueLength = PrefCacheOptions.DEFAULT_MAX_QUEUE_LENGTH;

  @Option(names = "--csv", description = "Print comma-separated values instead of a table.")
  private boolean csv;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      check();
      List<Double> fractions = sizes.stream().map(Fractions::parse).toList();
      long bytes = Sizes.parse(data);
      long rate = Sizes.parse(diskRate);
      return ClusterCommand.run(() -> run(fractions, bytes, rate));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private void check() {
    requireOf("--workload", workloads, ReadPlan.WORKLOADS);
    policies = policies.stream().map(StorageCaches::canonicalName).toList();
    requireOf("--policy", policies, RealStorageCache.POLICIES);
    if (warmUps < 0
        || maxQueueLength < 0
        || passes < 1
        || pauses.stream().anyMatch(seconds -> seconds < 0)) {
      throw new IllegalArgumentException(
          "--warm-ups, --pause and --max-queue must not be negative, and --passes at least 1");
    }
    if (Sizes.parse(data) % HdfsReads.CHUNK_BYTES != 0) {
      throw new IllegalArgumentException("--data " + data + " is not a multiple of 64k");
    }
  }

  private static void requireOf(String option, List<String> given, List<String> known) {
    if (!known.containsAll(given)) {
      throw new IllegalArgumentException(option + " " + given + ": take some of " + known);
    }
  }

  private int run(List<Double> fractions, long bytes, long rate) throws IOException {
    CsvTable table = CsvTable.of(spec.commandLine().getOut(), csv, COLUMNS);
    table.print(HdfsResult.CSV_HEADING);
    try (BelowHdfs hdfs = BelowHdfs.start(fileSystem, bytes, rate)) {
      for (String workload : workloads) {
        for (int pause : pauses) {
          ReadPlan plan = new ReadPlan(workload, warmUps, passes, Duration.ofSeconds(pause));
          for (double fraction : fractions) {
            for (String policy : policies) {
              table.print(hdfs.run(plan, policy, fraction, maxQueueLength).csv());
            }
          }
        }
      }
    }
    return 0;
  }
}
