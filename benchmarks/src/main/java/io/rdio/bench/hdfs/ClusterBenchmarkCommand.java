// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.ClusterCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command of a macro benchmark: runs it on a throwaway cluster and shows what it found. A
 * subclass has its options.
 *
 * @param <K> what is measured
 */
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public abstract class ClusterBenchmarkCommand<K> implements Callable<Integer> {
  @Mixin private ClusterOptions where;

  @Spec private CommandSpec spec;

  /**
   * What the options ask for.
   *
   * @throws IllegalArgumentException naming option and value
   */
  protected abstract ClusterBenchmark<K> benchmark();

  @Override
  public final Integer call() throws IOException {
    ClusterBenchmark<K> benchmark;
    try {
      where.check();
      benchmark = benchmark();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
    return ClusterCommand.run(() -> run(benchmark, System.out));
  }

  private int run(ClusterBenchmark<K> benchmark, PrintStream out) throws IOException {
    Passes<K> passes = new Passes<>();
    try (BenchCluster cluster = BenchCluster.start(where, benchmark, out)) {
      benchmark.run(cluster, passes);
      cluster.finishRecordings();
    }
    Machine machine = Machine.here(Clock.systemUTC());
    Report<K> report = Report.of(typed(), machine, where, benchmark, passes);
    out.print(report.text());
    where.write(report, "RDIO-HDFS: " + spec.qualifiedName());
    return passes.wrongWays().isEmpty() ? 0 : 1;
  }

  /** As the user typed it. */
  private String typed() {
    List<String> words = new ArrayList<>(List.of("bin/rdio", spec.qualifiedName()));
    // The root command's arguments, without the subcommand's name, which the line above has.
    List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
    words.addAll(arguments.subList(1, arguments.size()));
    return String.join(" ", words);
  }
}
