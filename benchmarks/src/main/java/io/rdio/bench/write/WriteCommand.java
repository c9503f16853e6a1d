// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench write}: its options. */
@Command(
    name = "write",
    mixinStandardHelpOptions = true,
    description = {
      "Compares ways of writing new files: stock HDFS's pipeline, and RdioFileSystem by the agent"
          + " of the host (dfs.client.rdio.write = auto); of erasure-coded files (--policy) with"
          + " immediate and with deferred parity (dfs.client.rdio.write.parity).",
      "On a throwaway cluster on this machine with a volume for each replica, or for each block of"
          + " a group, in turn and several times: throughput of large files, the time from create"
          + " to close of objects, CPU of all processes, bytes on loopback and devices. Stock HDFS"
          + " reads each file, which is compared. Exits with 1 if the agent wrote less than 99 %%"
          + " of what is not small. Needs root."
    })
public final class WriteCommand extends ClusterBenchmarkCommand<Load> {
  private static final List<Integer> REPLICATIONS = List.of(1, 3);
  private static final String POOL = "2g";

  @Option(
      names = "--replication",
      split = ",",
      paramLabel = "N",
      description = "Replicas of the files, each measured by itself. Default: 1,3.")
  private @Nullable List<Integer> replications;

  @Option(
      names = "--policy",
      paramLabel = "POLICY",
      description =
          "Erasure-coding policy of the files, which have no replicas then, such as RS-6-3-1024k."
              + " Default: none.")
  private String policy = "";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the large files of a pass, all together. Default: ${DEFAULT-VALUE}.")
  private String size = "1g";

  @Option(
      names = "--arrays",
      paramLabel = "SIZES",
      description = "What large files are handed over in. Default: ${DEFAULT-VALUE}.")
  private String arrays = "64k,1m";

  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of objects; none for no objects. Default: ${DEFAULT-VALUE}.")
  private String sizes = "32k,256k,1m,16m,128m,1g";

  @Option(
      names = "--block-size",
      paramLabel = "SIZE",
      description = "Size of blocks. Default: ${DEFAULT-VALUE}.")
  private String blockSize = "128m";

  @Option(
      names = "--fit",
      description =
          "Create objects with the smallest blocks that hold them, so that they take slots as small."
              + " Default: with --block-size, as applications do.")
  private boolean fit;

  @Option(
      names = "--pool",
      paramLabel = "SIZE",
      description =
          "Slots that each DataNode keeps free (dfs.datanode.rdio.write.pool.size). Default: 2g;"
              + " with --policy what the largest files take, 512m at least.")
  private String pool = "";

  @Option(
      names = "--small",
      paramLabel = "SIZE",
      description =
          "Files that stock HDFS writes for RDIO, too: those below this size"
              + " (dfs.client.rdio.write.small). Default: ${DEFAULT-VALUE}.")
  private String small = "1m";

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that write at the same time. Default: ${DEFAULT-VALUE}.")
  private int threads = 1;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that are measured. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Seconds in which objects of a size are begun, as far as there are slots for them."
              + " Default: ${DEFAULT-VALUE}.")
  private double seconds = 3;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description =
          "Blocks that each DataNode stores by RDIO before the rounds, and as many by stock HDFS: a"
              + " cluster's DataNodes have run for days, and their code is compiled. Default:"
              + " ${DEFAULT-VALUE}.")
  private int warmUp;

  @Option(
      names = "--warm-up-max",
      paramLabel = "S",
      description =
          "Seconds behind which a way warms up no more, however few blocks it has stored. Default:"
              + " ${DEFAULT-VALUE}.")
  private double warmUpMax = 1800;

  @Override
  protected ClusterBenchmark<Load> benchmark() {
    WritePlan plan =
        new WritePlan(
            redundancies(),
            Sizes.parse(size),
            Sizes.parseReads(arrays),
            sizes.equals("none")
                ? List.of()
                : Stream.of(sizes.split(",", -1)).map(Sizes::parse).toList(),
            Sizes.parse(blockSize),
            fit,
            Sizes.parse(pool.isEmpty() ? POOL : pool),
            Sizes.parse(small),
            threads,
            rounds,
            seconds,
            new WarmUp(warmUp, warmUpMax));
    boolean isLeast = pool.isEmpty() && !policy.isEmpty();
    return new WriteBenchmark((isLeast ? plan.withLeastPool() : plan).checked());
  }

  private List<Redundancy> redundancies() {
    if (policy.isEmpty()) {
      List<Integer> counts = replications == null ? REPLICATIONS : replications;
      return counts.stream().map(Redundancy::replicas).toList();
    }
    if (replications != null) {
      throw new IllegalArgumentException(
          "--policy "
              + policy
              + ": excludes --replication, for an erasure-coded file has no replicas; fix: take one"
              + " of both");
    }
    return List.of(Redundancy.coded(policy));
  }
}
