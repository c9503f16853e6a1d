// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.report.CsvTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code simulate --two-level}: its own options, and what it prints. */
public final class TwoLevelRun {
  /** 256 MB: as much as {@code bench two-level} reads from a real disk unless told otherwise. */
  private static final int BLOCKS = 65_536;

  /** Their reads are kept in memory: 17 MB each, at most. */
  private static final int CLIENTS_MAX = 16;

  private static final List<Double> FRACTIONS = List.of(0.25, 0.5, 0.75, 1.0);

  @Option(
      names = "--two-level",
      required = true,
      description =
          "Simulates a storage node's cache below the page cache of a compute node instead, on"
              + " table scans and YCSB-C over four times that page cache. Policies: Vanilla, Incl,"
              + " DEMOTE, DM-Cache, BNEX, BNEX-S3-FIFO; sizes: in percent of what the page cache"
              + " does not hold, 25%%,50%%,75%%,100%% unless given.")
  @SuppressWarnings("UnusedVariable") // That it was given is all.
  private boolean twoLevel;

  @Option(
      names = "--level1",
      paramLabel = "linux|lru",
      description = "How that page cache replaces. Default: ${DEFAULT-VALUE}.")
  private PageCache.Model level1 = PageCache.Model.LINUX;

  @Option(
      names = "--clients",
      paramLabel = "N",
      description =
          "Compute nodes, each with a page cache of its own, that read the same data at the same"
              + " time, each in its own order, over one storage cache; DM-Cache has a part of it"
              + " for each. Default: ${DEFAULT-VALUE}.")
  private int clients = 1;

  /**
   * Simulates.
   *
   * @param policies all unless given
   * @param sizes of the storage cache, all of {@code FRACTIONS} unless given
   * @param plot file to draw to, if any
   * @throws IllegalArgumentException if there is no such policy or size, or number of clients
   */
  public void run(
      @Nullable List<String> policies,
      @Nullable List<String> sizes,
      PrintWriter out,
      boolean csv,
      @Nullable Path plot)
      throws IOException {
    if (clients < 1 || clients > CLIENTS_MAX) {
      throw new IllegalArgumentException(
          "--clients " + clients + ": from 1 to " + CLIENTS_MAX + " compute nodes");
    }
    List<String> names =
        policies == null
            ? StorageCaches.names()
            : policies.stream().map(StorageCaches::canonicalName).toList();
    List<Double> fractions =
        sizes == null ? FRACTIONS : sizes.stream().map(Fractions::parse).toList();
    CsvTable table = CsvTable.of(out, csv, "%-16s %-13s %22s %16s %13s %14s");
    table.print(TwoLevelResult.CSV_HEADING);
    TwoLevelSimulation simulation =
        new TwoLevelSimulation(level1, BLOCKS, TwoLevelSimulation.WARM_UP, clients);
    List<TwoLevelResult> results = new ArrayList<>();
    for (Workload workload : TwoLevelSimulation.WORKLOADS) {
      for (double fraction : fractions) {
        for (String name : names) {
          TwoLevelResult result = simulation.run(workload, name, fraction);
          results.add(result);
          table.print(result.csv());
        }
      }
    }
    if (plot != null) {
      TwoLevelChart.draw(results, plot);
    }
  }
}
