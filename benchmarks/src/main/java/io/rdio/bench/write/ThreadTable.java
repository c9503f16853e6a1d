// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.hdfs.CpuGroup;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the DataNodes' CPU goes to while large files are written, by groups of their threads. */
final class ThreadTable {
  /** How to read it. */
  static final String NOTE =
      "DataNodes' threads: medians of the rounds, each by itself, so that they need not add up. A"
          + " thread's time is in ticks of 10 ms: the larger the files, the less that matters."
          + " Compilers: the JVMs' C1 and C2, which a DataNode that has run for days hardly needs."
          + " Ended threads: what the processes used and no thread has that is left. RDIO begins"
          + " one for each Commit, stock HDFS for each block that is sent; JVMs with many CPUs end"
          + " compilers that are idle.";

  private ThreadTable() {}

  /** A row for each way by which large files were written. */
  static Grid of(Passes<Load> passes) {
    List<String> head = new ArrayList<>(List.of("DataNodes s/GB", "by", "all"));
    for (CpuGroup group : CpuGroup.values()) {
      head.add(group.label());
    }
    List<List<String>> rows = new ArrayList<>();
    for (Load load : passes.keys()) {
      for (Way way : load.isStream() ? passes.ways(load) : List.<Way>of()) {
        List<String> row = new ArrayList<>(List.of(load.toString(), way.label()));
        row.add(Grid.cell("%.3f", passes.median(load, way, Pass::dataNodeCpuPerGigabyte)));
        perGigabyte(passes, load, way).values().forEach(each -> row.add(Grid.cell("%.3f", each)));
        rows.add(row);
      }
    }
    return new Grid(head, rows);
  }

  /** The same for JSON, of one way. */
  static Map<String, Double> perGigabyte(Passes<Load> passes, Load load, Way way) {
    Map<String, Double> medians = new LinkedHashMap<>();
    for (CpuGroup group : CpuGroup.values()) {
      medians.put(name(group), passes.median(load, way, pass -> pass.threadsCpuPerGigabyte(group)));
    }
    return medians;
  }

  /** Of one round, for JSON: not for a gigabyte. */
  static Map<String, Object> seconds(Pass pass) {
    Map<String, Object> seconds = new LinkedHashMap<>();
    for (CpuGroup group : CpuGroup.values()) {
      seconds.put(name(group), pass.dataNodeThreads().of(group));
    }
    return seconds;
  }

  private static String name(CpuGroup group) {
    return group.name().toLowerCase(Locale.ROOT);
  }
}
