// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import io.rdio.bench.cache.CacheBenchmark.HitRatio;
import io.rdio.bench.cache.CacheUnderTest.Kind;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.util.Statistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code cache}: the throughput of the caches at each number of threads, as a table. */
@Command(
    name = "cache",
    mixinStandardHelpOptions = true,
    description = "Measures the throughput of caches with JMH and prints a Markdown table.")
@SuppressWarnings("NullAway.Init") // picocli fills the fields before call().
public final class CacheCommand implements Callable<Integer> {
  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,2,4",
      paramLabel = "N",
      description = "Numbers of threads. Default: ${DEFAULT-VALUE}.")
  private List<Integer> threads;

  @Option(
      names = "--hit-ratio",
      split = ",",
      paramLabel = "H",
      description = "Hit ratios: ${COMPLETION-CANDIDATES}. Default: all.")
  private List<HitRatio> hitRatios = List.of(HitRatio.values());

  @Option(
      names = "--overwrites",
      split = ",",
      paramLabel = "PERCENT",
      description = "How many of a hundred operations are overwrites. Default: 0,25.")
  private List<Integer> overwrites = List.of(0, 25);

  @Option(
      names = "--iterations",
      defaultValue = "10",
      paramLabel = "N",
      description = "Measured iterations of --time each. Default: ${DEFAULT-VALUE}.")
  private int iterations;

  @Option(
      names = "--time",
      defaultValue = "300",
      paramLabel = "MS",
      description = "Milliseconds per iteration. Default: ${DEFAULT-VALUE}.")
  private long milliseconds;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      paramLabel = "N",
      description = "Times that all is measured; the best is printed. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws RunnerException {
    Map<Point, Map<Kind, Figures>> measured = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      for (int count : threads) {
        for (RunResult result : run(count)) {
          measured
              .computeIfAbsent(Point.of(result, count), p -> new EnumMap<>(Kind.class))
              .merge(
                  Kind.valueOf(result.getParams().getParam("subject")),
                  Figures.of(result),
                  Figures::best);
        }
      }
    }
    print(measured);
    return 0;
  }

  private Collection<RunResult> run(int count) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include(CacheBenchmark.class.getName() + ".operation")
                .param("hitRatio", words(hitRatios))
                .param("overwrites", words(overwrites))
                .threads(count)
                .forks(1)
                .measurementIterations(iterations)
                .measurementTime(TimeValue.milliseconds(milliseconds))
                .warmupTime(TimeValue.milliseconds(milliseconds))
                .addProfiler(GCProfiler.class)
                .addProfiler(CpuProfiler.class)
                .build())
        .run();
  }

  private static String[] words(List<?> values) {
    return values.stream().map(String::valueOf).toArray(String[]::new);
  }

  private void print(Map<Point, Map<Kind, Figures>> measured) {
    PrintWriter out = spec.commandLine().getOut();
    out.println();
    out.println(
        "| hit ratio | overwrites, % | threads | ops/µs: S3-FIFO | Caffeine | Guava | sync LRU"
            + " | CPU ns/op: S3-FIFO | Caffeine | Guava | sync LRU | B/op: S3-FIFO | Caffeine |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    measured.forEach(
        (point, figures) -> {
          StringBuilder row = new StringBuilder(point.columns());
          for (Kind kind : Kind.values()) {
            row.append(column(figures, kind, Figures::operationsPerMicrosecond));
          }
          for (Kind kind : Kind.values()) {
            row.append(column(figures, kind, Figures::cpuNanosPerOperation));
          }
          row.append(column(figures, Kind.S3FIFO, Figures::bytesPerOperation));
          row.append(column(figures, Kind.CAFFEINE, Figures::bytesPerOperation));
          out.println(row);
        });
    out.flush();
  }

  private static String column(
      Map<Kind, Figures> figures, Kind kind, ToDoubleFunction<Figures> figure) {
    Figures measured = figures.get(kind);
    return measured == null
        ? " |"
        : String.format(Locale.ROOT, " %.1f |", figure.applyAsDouble(measured));
  }

  /** Where the caches are compared. */
  private record Point(String hitRatio, String overwrites, int threads) {
    static Point of(RunResult result, int threads) {
      return new Point(
          result.getParams().getParam("hitRatio"),
          result.getParams().getParam("overwrites"),
          threads);
    }

    String columns() {
      return "| " + hitRatio + " | " + overwrites + " | " + threads + " |";
    }
  }

  /**
   * What one cache gave at one point: the best iteration's throughput and CPU time, since whatever
   * else runs on the machine only ever makes them worse, and the mean allocation.
   */
  private record Figures(
      double operationsPerMicrosecond, double cpuNanosPerOperation, double bytesPerOperation) {
    static Figures of(RunResult result) {
      return new Figures(
          result.getPrimaryResult().getStatistics().getMax(),
          secondary(result, CpuProfiler.LABEL).getMin(),
          secondary(result, "gc.alloc.rate.norm").getMean());
    }

    private static Statistics secondary(RunResult result, String label) {
      for (String name : result.getSecondaryResults().keySet()) {
        if (name.endsWith(label)) {
          return result.getSecondaryResults().get(name).getStatistics();
        }
      }
      throw new IllegalStateException("JMH gave no " + label);
    }

    Figures best(Figures other) {
      return new Figures(
          Math.max(operationsPerMicrosecond, other.operationsPerMicrosecond),
          Math.min(cpuNanosPerOperation, other.cpuNanosPerOperation),
          Math.max(bytesPerOperation, other.bytesPerOperation));
    }
  }
}
