// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import io.rdio.bench.report.CsvTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code simulate --trace}: what it reads, and what it prints.
 *
 * @param format of the trace, if not by its name
 * @param idColumn of the id in csv, from 1; 0 to find it by its heading
 * @param against policy whose misses those of the others are compared with, if any
 */
public record TraceRun(
    Path trace, TraceReader.@Nullable Format format, int idColumn, @Nullable String against) {
  private static final List<String> DEFAULT_SIZES = List.of("0.1%", "1%", "10%");

  /**
   * Takes a policy by any of its names.
   *
   * @throws IllegalArgumentException if there is none such
   */
  public TraceRun {
    against = against == null ? null : Policies.canonicalName(against);
  }

  /**
   * Simulates.
   *
   * @param policies all unless given
   * @param sizes of the cache, in objects or percent of the trace's objects
   * @param err is told of each run that begins
   * @param plot file to draw to, if any
   * @throws IllegalArgumentException if there is no such policy or size, or no such trace
   */
  public void run(
      @Nullable List<String> policies,
      @Nullable List<String> sizes,
      PrintWriter out,
      PrintWriter err,
      boolean csv,
      @Nullable Path plot)
      throws IOException {
    if (!Files.isReadable(trace)) {
      throw new IllegalArgumentException("cannot read the trace " + trace);
    }
    List<String> names =
        policies == null
            ? Policies.names()
            : policies.stream().map(Policies::canonicalName).toList();
    Trace requests =
        TraceReader.read(trace, format == null ? TraceReader.Format.of(trace) : format, idColumn);
    List<Integer> capacities =
        (sizes == null ? DEFAULT_SIZES : sizes)
            .stream().map(size -> CacheSize.parse(size, requests.objects())).distinct().toList();
    String columns = "%-24s %-10s %13s %10s %12s" + (against == null ? "" : " %13s");
    CsvTable table = CsvTable.of(out, csv, columns);
    List<Result> results = run(requests, names, capacities, table, err);
    if (plot != null) {
      MissRatioChart.draw(results, plot);
    }
  }

  private List<Result> run(
      Trace requests,
      List<String> names,
      List<Integer> capacities,
      CsvTable table,
      PrintWriter err) {
    table.print(Result.heading(against));
    List<Result> results = new ArrayList<>();
    int runs = names.size() * capacities.size();
    for (int capacity : capacities) {
      int missesOfOther = against == null ? 0 : misses(requests, against, capacity);
      for (String name : names) {
        err.printf(
            Locale.ROOT, "[%d/%d] %s, %,d objects%n", results.size() + 1, runs, name, capacity);
        err.flush();
        int misses = name.equals(against) ? missesOfOther : misses(requests, name, capacity);
        Result result = new Result(requests.name(), name, capacity, misses, requests.length());
        results.add(result);
        table.print(against == null ? result.csv() : result.csvAgainst(missesOfOther));
      }
    }
    return results;
  }

  private static int misses(Trace requests, String policy, int capacity) {
    return requests.misses(Policies.create(policy, capacity, requests));
  }
}
