// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cache;

import io.rdio.bench.cache.CacheUnderTest.Kind;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
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
      names = "--iterations",
      defaultValue = "3",
      paramLabel = "N",
      description = "Measured iterations of --time each. Default: ${DEFAULT-VALUE}.")
  private int iterations;

  @Option(
      names = "--time",
      defaultValue = "1000",
      paramLabel = "MS",
      description = "Milliseconds per iteration. Default: ${DEFAULT-VALUE}.")
  private long milliseconds;

  @Option(
      names = "--forks",
      defaultValue = "1",
      paramLabel = "N",
      description = "JVMs per point. Default: ${DEFAULT-VALUE}.")
  private int forks;

  @Spec private CommandSpec spec;

  /** One kind's figures at one point. */
  private record Figure(double operationsPerMicrosecond, double bytesPerOperation) {}

  @Override
  public Integer call() throws RunnerException {
    Map<String, Map<Kind, Figure>> points = new LinkedHashMap<>();
    for (int count : threads) {
      for (RunResult result : run(count)) {
        String point =
            String.format(
                Locale.ROOT,
                "| %s | %s | %d |",
                result.getParams().getParam("hitRatio"),
                result.getParams().getParam("writePercent"),
                count);
        points
            .computeIfAbsent(point, p -> new EnumMap<>(Kind.class))
            .put(Kind.valueOf(result.getParams().getParam("kind")), figure(result));
      }
    }
    print(points);
    return 0;
  }

  private Collection<RunResult> run(int count) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include(CacheBenchmark.class.getName() + ".operation")
                .threads(count)
                .forks(forks)
                .measurementIterations(iterations)
                .measurementTime(TimeValue.milliseconds(milliseconds))
                .warmupTime(TimeValue.milliseconds(milliseconds))
                .addProfiler(GCProfiler.class)
                .build())
        .run();
  }

  private static Figure figure(RunResult result) {
    double bytes = Double.NaN;
    for (String name : result.getSecondaryResults().keySet()) {
      if (name.endsWith("gc.alloc.rate.norm")) {
        bytes = result.getSecondaryResults().get(name).getScore();
      }
    }
    return new Figure(result.getPrimaryResult().getScore(), bytes);
  }

  private void print(Map<String, Map<Kind, Figure>> points) {
    PrintWriter out = spec.commandLine().getOut();
    out.println();
    out.println(
        "| hit ratio | writes, % | threads | S3-FIFO, ops/µs | Caffeine | Guava | sync LRU"
            + " | ÷ Caffeine | ÷ sync LRU | S3-FIFO, B/op | Caffeine, B/op |");
    out.println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    points.forEach(
        (point, figures) -> {
          double ours = speed(figures, Kind.S3FIFO);
          out.printf(
              Locale.ROOT,
              "%s %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f |%n",
              point,
              ours,
              speed(figures, Kind.CAFFEINE),
              speed(figures, Kind.GUAVA),
              speed(figures, Kind.SYNC_LRU),
              ours / speed(figures, Kind.CAFFEINE),
              ours / speed(figures, Kind.SYNC_LRU),
              bytes(figures, Kind.S3FIFO),
              bytes(figures, Kind.CAFFEINE));
        });
    out.flush();
  }

  private static double speed(Map<Kind, Figure> figures, Kind kind) {
    Figure figure = figures.get(kind);
    return figure == null ? Double.NaN : figure.operationsPerMicrosecond();
  }

  private static double bytes(Map<Kind, Figure> figures, Kind kind) {
    Figure figure = figures.get(kind);
    return figure == null ? Double.NaN : figure.bytesPerOperation();
  }
}
