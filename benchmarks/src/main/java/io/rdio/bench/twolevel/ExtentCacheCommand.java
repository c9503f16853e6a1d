// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.hdfs.Checks;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.report.CsvTable;
import io.rdio.exclusive.eviction.EvictionTracer;
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

/** {@code bench extent-cache}: what each size of KTracer's Extent Cache takes, and is worth. */
@Command(
    name = "extent-cache",
    mixinStandardHelpOptions = true,
    description = {
      "Measures KTracer with Extent Caches of several sizes, on both nodes as 'bin/rdio bench"
          + " two-level' has them, while single blocks are read at random from many files with many"
          + " extents each: what of the places asked for the cache had, CPU of KTracer's threads"
          + " for each evicted page, heap, and memory of its BPF maps.",
      "The Extent Cache is on the agent's heap; what KTracer has in the kernel does not grow with"
          + " it. Needs root, eBPF and control groups of version 1; makes loop devices on the disk"
          + " below the folder for temporary files."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ExtentCacheCommand implements Callable<Integer> {
  private static final String COLUMNS = "%-16s %9s %10s %13s %10s %9s %15s %11s %13s";

  /** All are open at a time. */
  private static final int FILES_MAX = 4096;

  @Mixin private StackOptions where = new StackOptions("128m");

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Files of the data set. Default: ${DEFAULT-VALUE}.")
  private int files = 256;

  @Option(
      names = "--extent-size",
      paramLabel = "SIZE",
      description =
          "Size of their extents, a multiple of 4k; behind each is a hole of 4k. Default:"
              + " ${DEFAULT-VALUE}.")
  private String extentSize = "8k";

  @Option(
      names = "--extents",
      split = ",",
      paramLabel = "N",
      description =
          "Sizes of the Extent Cache, in extents; each file and each 16m of a file count as 16"
              + " more. Production's is 262144. Default: 0,2048,4096,8192,16384,32768.")
  private List<Long> extents = List.of(0L, 2048L, 4096L, 8192L, 16384L, 32768L);

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "W",
      description = "ycsb-c-uniform, ycsb-c-zipf0.99. Default: both.")
  private List<String> workloads = List.of("ycsb-c-uniform", "ycsb-c-zipf0.99");

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    try {
      List<Workload> what = workloads.stream().map(RealWorkloads::named).toList();
      if (what.stream().anyMatch(Workload::isSequential)) {
        throw new IllegalArgumentException(
            "--workload "
                + workloads
                + ": a scan would read the holes ahead; take ycsb-c-uniform or ycsb-c-zipf0.99");
      }
      if (extents.stream().anyMatch(size -> size < 0)) {
        throw new IllegalArgumentException("--extents " + extents + ": must not be negative");
      }
      int blocksPerFile = blocksPerFile();
      int pieceBlocks = pieceBlocks();
      long bytesPerSecond = where.bytesPerSecond();
      return ClusterCommand.run(() -> run(what, blocksPerFile, pieceBlocks, bytesPerSecond));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private int blocksPerFile() {
    Checks.requireOneOrMore("--files", files);
    if (files > FILES_MAX) {
      throw new IllegalArgumentException("--files " + files + ": at most " + FILES_MAX);
    }
    int blocks = where.blocks();
    if (blocks < files) {
      throw new IllegalArgumentException(
          "--files " + files + ": more than --data has blocks, which are " + blocks);
    }
    return blocks / files;
  }

  private int pieceBlocks() {
    List<Integer> sizes = Sizes.parseReads(extentSize);
    if (sizes.size() != 1) {
      throw new IllegalArgumentException("--extent-size " + extentSize + ": take one size");
    }
    return sizes.get(0) / Workload.BLOCK_BYTES;
  }

  private int run(List<Workload> what, int blocksPerFile, int pieceBlocks, long bytesPerSecond)
      throws IOException {
    CsvTable table = where.table(spec.commandLine().getOut(), COLUMNS);
    table.print(ExtentCacheResult.CSV_HEADING);
    try (TwoLevelStack stack = TwoLevelStack.withoutData(where.fileSystem(), where.bytes())) {
      PieceFiles pieces =
          new PieceFiles(stack.views().get(0).data(), files, blocksPerFile, pieceBlocks);
      pieces.write();
      KtracerCosts costs = new KtracerCosts(stack);
      // Else the first row alone had code that is not compiled yet.
      costs.run(ReaderTask.ofPieces(pieces, what.get(0), bytesPerSecond), settings(extents.get(0)));
      for (Workload workload : what) {
        ReaderTask task = ReaderTask.ofPieces(pieces, workload, bytesPerSecond);
        for (long size : extents) {
          KtracerCosts.Costs its = costs.run(task, settings(size));
          table.print(new ExtentCacheResult(workload.label(), size, its).csv());
        }
      }
    }
    return 0;
  }

  /** Production's, but for the size of the Extent Cache. */
  static EvictionTracer.Settings settings(long extents) {
    EvictionTracer.Settings all = EvictionTracer.Settings.DEFAULT;
    return new EvictionTracer.Settings(
        all.patience(), all.enough(), all.maxWaiting(), all.keptRuns(), extents, all.rescan());
  }
}
