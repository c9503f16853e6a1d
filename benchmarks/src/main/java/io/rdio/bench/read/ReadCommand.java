// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench read}: options, and what becomes of the result. */
@Command(
    name = "read",
    mixinStandardHelpOptions = true,
    description = {
      "Compares ways of reading: stock HDFS, short-circuit, RDIO, the raw device.",
      "On a throwaway cluster on this machine, in turn and several times: sequential throughput,"
          + " latency of positional reads and of the first byte of a file, CPU for each byte. Exits"
          + " with 1 if RDIO carried less than 99 %% of its bytes. Needs root."
    })
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class ReadCommand implements Callable<Integer> {
  @Mixin private ClusterOptions where;

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

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    ReadOptions options;
    try {
      where.check();
      options =
          ReadOptions.of(
              threads, Sizes.parse(size), Sizes.parseReads(sizes), rounds, seconds, files);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(options));
  }

  private int run(ReadOptions options) throws IOException {
    Passes<Measure> passes = ReadBenchmark.run(options, where, System.out);
    ReadResult result =
        new ReadResult(
            ClusterOptions.typed(spec), Machine.here(Clock.systemUTC()), options, where, passes);
    System.out.print(result.text());
    where.write(result);
    return passes.wrongWays().isEmpty() ? 0 : 1;
  }
}
