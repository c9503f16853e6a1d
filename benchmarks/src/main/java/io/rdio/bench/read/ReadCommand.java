// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.hdfs.ClusterBenchmark;
import io.rdio.bench.hdfs.ClusterBenchmarkCommand;
import io.rdio.bench.hdfs.Sizes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench read}: its options. */
@Command(
    name = "read",
    mixinStandardHelpOptions = true,
    description = {
      "Compares ways of reading: stock HDFS, short-circuit, RDIO that opens the device, RDIO by the"
          + " agent of the host, the raw device.",
      "On a throwaway cluster on this machine, in turn and several times: sequential throughput,"
          + " latency of positional reads and of the first byte of a file, CPU for each byte. Exits"
          + " with 1 if RDIO carried less than 99 %% of its bytes. Needs root."
    })
public final class ReadCommand extends ClusterBenchmarkCommand<Measure> {
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads that read at the same time. Default: ${DEFAULT-VALUE}.")
  private int threads = 1;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = "Size of the files read, all together. Default: ${DEFAULT-VALUE}.")
  private String size = "2g";

  @Option(
      names = "--sizes",
      paramLabel = "SIZES",
      description = "Sizes of positional reads. Default: ${DEFAULT-VALUE}.")
  private String sizes = "4k,64k,1m";

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds that are measured. Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "Seconds of each pass of positional reads. Default: ${DEFAULT-VALUE}.")
  private double seconds = 1;

  @Option(
      names = "--files",
      paramLabel = "N",
      description = "Files whose first byte each pass reads. Default: ${DEFAULT-VALUE}.")
  private int files = 50;

  @Option(
      names = "--warm-up",
      paramLabel = "S",
      description =
          "Seconds for which each client reads before the rounds, streams first, then each size for"
              + " three fifths of it. Default: ${DEFAULT-VALUE}; more leaves less to compile.")
  private double warmUp = 5;

  @Override
  protected ClusterBenchmark<Measure> benchmark() {
    ReadBenchmark benchmark =
        new ReadBenchmark(
            threads,
            ReadBenchmark.fileBytes(Sizes.parse(size), threads),
            Sizes.parseReads(sizes),
            rounds,
            seconds,
            files,
            new WarmUp(warmUp));
    return benchmark.checked();
  }
}
