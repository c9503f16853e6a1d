// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.characterize.CharacterizeBenchmark.Operation;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench characterize}: its options. */
@Command(
    name = "characterize",
    mixinStandardHelpOptions = true,
    description = {
      "A factorial experiment after Pioli and others: latency by the device's speed, I/O scheduler,"
          + " tasks, access pattern, operation and way (stock HDFS, RDIO, RDIO by the agent of the"
          + " host; writes by the first and the last), in random order, with an analysis of"
          + " variance and box plots.",
      "On a throwaway cluster on this machine. Needs root and control groups of version 1."
    })
public final class CharacterizeCommand extends ClusterBenchmarkCommand<Cell> {
  @Option(
      names = "--operations",
      split = ",",
      paramLabel = "read|write",
      description = "Operations that are measured. Default: both.")
  private List<String> operations = List.of("read", "write");

  @Option(
      names = "--slow",
      paramLabel = "SIZE",
      description = "What a slow device reads in a second. Default: ${DEFAULT-VALUE}.")
  private String slow = "32m";

  @Option(
      names = "--schedulers",
      split = ",",
      paramLabel = "S",
      description = "I/O schedulers. Default: all that the kernel has for the device.")
  private List<String> schedulers = List.of();

  @Option(
      names = "--tasks",
      split = ",",
      paramLabel = "N",
      description = "Numbers of tasks, threads of one client. Default: ${DEFAULT-VALUE}.")
  private List<Integer> tasks = List.of(32, 64);

  @Option(
      names = "--request",
      paramLabel = "SIZE",
      description =
          "Bytes of a read; a write is a file of so many. A multiple of 4k. Default:"
              + " ${DEFAULT-VALUE}.")
  private String request = "64k";

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Of all files read, together. Default: ${DEFAULT-VALUE}.")
  private String size = "512m";

  @Option(
      names = "--pool",
      paramLabel = "SIZE",
      description =
          "Slots that the DataNode keeps free for the agent's writes: one of 1m for each file, of"
              + " requests above 1m a larger one. When they are used up stock HDFS writes. Default:"
              + " ${DEFAULT-VALUE}.")
  private String pool = "256m";

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Repeats of each combination, 2 at least. Default: ${DEFAULT-VALUE}.")
  private int repeats = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each run. Default: ${DEFAULT-VALUE}.")
  private double seconds = 1;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the random order. Default: ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Override
  protected ClusterBenchmark<Cell> benchmark() {
    List<Integer> requests = Sizes.parseReads(request);
    if (requests.size() != 1) {
      throw new IllegalArgumentException("--request " + request + ": take one size");
    }
    return new CharacterizeBenchmark(
        operations.stream().map(CharacterizeCommand::operation).toList(),
        Sizes.parse(slow),
        schedulers,
        tasks,
        requests.get(0),
        Sizes.parse(size),
        Sizes.parse(pool),
        repeats,
        seconds,
        seed);
  }

  private static Operation operation(String name) {
    return switch (name.strip().toLowerCase(Locale.ROOT)) {
      case "read" -> Operation.READ;
      case "write" -> Operation.WRITE;
      default ->
          throw new IllegalArgumentException("--operations " + name + ": take read, write or both");
    };
  }
}
