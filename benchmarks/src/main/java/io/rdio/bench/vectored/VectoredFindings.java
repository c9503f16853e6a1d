// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench vectored} found. */
record VectoredFindings(VectoredBenchmark benchmark, Passes<Scene> passes) {
  private static final double MILLIS = 1e3;

  Findings all() {
    return Findings.of(
        List.of(new Section("", null, grid(), "")),
        List.of(note()),
        Map.of("scenes", Figures.points(passes, scene -> Map.of("scene", scene.name()))));
  }

  private String note() {
    return "Median (and range) of "
        + benchmark.rounds()
        + " rounds, the ways in turn, each a JVM that lives over all rounds. A scan: Parquet's reader"
        + " is opened, reads the footer and the columns' pages of all row groups; a CRC32C of the"
        + " pages stands for decoding them, and every pass must have the same. MB/s: of the pages."
        + " Together: ranges that RDIO had under way together, of a scan; stock HDFS's own"
        + " readVectored reads one after the other. No codec, no dictionary; HDFS's checksums are"
        + " verified.";
  }

  private Grid grid() {
    double stock = passes.median(Scene.STREAMED, Way.STOCK, this::millis);
    List<List<String>> rows = new ArrayList<>();
    for (Scene scene : Scene.values()) {
      for (Way way : passes.ways(scene)) {
        Spread millis = passes.spread(scene, way, this::millis);
        rows.add(
            List.of(
                scene.toString(),
                way.label(),
                Grid.cell("%.1f", millis.median()),
                Grid.cell("%.1f-%.1f", millis.min(), millis.max()),
                Grid.cell("%.2f", stock / millis.median()),
                cell(scene, way, Pass::megabytesPerSecond, "%.0f"),
                cell(scene, way, Pass::clientCpuPerGigabyte, "%.3f"),
                cell(scene, way, Pass::dataNodeCpuPerGigabyte, "%.3f"),
                cell(scene, way, Pass::agentCpuPerGigabyte, "%.3f"),
                cell(scene, way, this::together, "%.0f"),
                cell(scene, way, Pass::percentByWay, "%.1f %%")));
      }
    }
    return new Grid(
        List.of(
            "columns",
            "by",
            "ms a scan",
            "range",
            "× stock",
            "MB/s",
            "client s/GB",
            "DataNode s/GB",
            "agent s/GB",
            "together",
            "by this way"),
        rows);
  }

  private double millis(Pass pass) {
    return MILLIS * pass.answer().totals().seconds() / benchmark.scans();
  }

  private double together(Pass pass) {
    return (double) pass.answer().counters().vectoredRanges() / benchmark.scans();
  }

  private String cell(Scene scene, Way way, ToDoubleFunction<Pass> figure, String format) {
    return Grid.cell(format, passes.median(scene, way, figure));
  }
}
