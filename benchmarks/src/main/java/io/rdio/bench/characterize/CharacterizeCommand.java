// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import io.rdio.bench.characterize.CharacterizeBenchmark.Cell;
import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench characterize}: its options. */
@Command(
    name = "characterize",
    mixinStandardHelpOptions = true,
    description = {
      "A factorial experiment after Pioli and others: latency by the device's speed, I/O scheduler,"
          + " tasks, access pattern, operation and way (stock HDFS, RDIO, RDIO by the agent of the"
          + " host), in random order, with an analysis of variance and box plots.",
      "On a throwaway cluster on this machine. Needs root and control groups of version 1."
    })
public final class CharacterizeCommand extends ClusterBenchmarkCommand<Cell> {
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
        Sizes.parse(slow),
        schedulers,
        tasks,
        requests.get(0),
        Sizes.parse(size),
        repeats,
        seconds,
        seed);
  }
}
