// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.cold;

import io.rdio.bench.cold.ColdBenchmark.File;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.FreshJvms.Footprint;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.hdfs.RdioConfigKeys;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench cold} found. */
record ColdFindings(ColdBenchmark benchmark, Passes<File> passes) {
  private static final double MEBIBYTE = 1 << 20;

  Findings all() {
    Map<String, Object> footprints = new LinkedHashMap<>();
    benchmark
        .footprints()
        .forEach(
            (way, footprint) ->
                footprints.put(
                    way.label(),
                    Map.of(
                        "classes", footprint.classes().size(),
                        "classes_beyond_stock", beyondStock(footprint),
                        "peak_memory_bytes", footprint.peakBytes())));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("footprints", footprints);
    fields.put("points", Figures.points(passes, file -> Map.of("file_bytes", file.bytes())));
    return Findings.of(
        List.of(new Section("", null, times(), ""), new Section("", null, footprintGrid(), "")),
        List.of(note()),
        fields);
  }

  private String note() {
    return "Whole processes, from start to end: median (and range) of "
        + benchmark.rounds()
        + " rounds, the ways in turn. CPU: of the process alone. By DataNode: of the bytes, what"
        + " crossed the loopback interface, calls to NameNode and plugin included. Classes: other"
        + " than those that stock HDFS loads, lambdas counted too; memory: most that was resident."
        + " 'rdio' opens the device for the first read, 'rdio, by default' once the process has read"
        + " as much as "
        + RdioConfigKeys.CLIENT_DEVICE_AFTER
        + " is by default; neither asks the agent.";
  }

  private Grid times() {
    List<List<String>> rows = new ArrayList<>();
    for (File file : passes.keys()) {
      for (Way way : ColdBenchmark.WAYS) {
        rows.add(row(file, way));
      }
    }
    return new Grid(
        List.of("file", "way", "seconds", "range", "× stock", "CPU s", "× stock", "by DataNode %"),
        rows);
  }

  private List<String> row(File file, Way way) {
    Spread seconds = passes.spread(file, way, pass -> pass.answer().totals().seconds());
    double cpu = passes.median(file, way, pass -> pass.answer().totals().cpuSeconds());
    return List.of(
        file.toString(),
        way.label(),
        Grid.cell("%.2f", seconds.median()),
        Grid.cell("%.2f-%.2f", seconds.min(), seconds.max()),
        Grid.cell("%.2f", seconds.median() / stock(file, pass -> pass.answer().totals().seconds())),
        Grid.cell("%.2f", cpu),
        Grid.cell("%.2f", cpu / stock(file, pass -> pass.answer().totals().cpuSeconds())),
        Grid.cell("%.1f", 100 * Math.min(1, passes.median(file, way, Pass::loopbackPerByte))));
  }

  private double stock(File file, ToDoubleFunction<Pass> figure) {
    return passes.median(file, Way.STOCK, figure);
  }

  private Grid footprintGrid() {
    List<List<String>> rows = new ArrayList<>();
    benchmark
        .footprints()
        .forEach(
            (way, footprint) ->
                rows.add(
                    List.of(
                        way.label(),
                        Integer.toString(footprint.classes().size()),
                        Long.toString(beyondStock(footprint)),
                        Grid.cell("%.0f", footprint.peakBytes() / MEBIBYTE))));
    return new Grid(List.of("way", "classes", "beyond stock's", "memory MiB"), rows);
  }

  private long beyondStock(Footprint footprint) {
    Footprint stock = benchmark.footprints().get(Way.STOCK);
    Set<String> known = stock == null ? Set.of() : stock.classes();
    return footprint.classes().stream().filter(name -> !known.contains(name)).count();
  }
}
