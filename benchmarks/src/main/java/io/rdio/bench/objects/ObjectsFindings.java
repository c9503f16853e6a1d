// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.objects;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.PhaseTable;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.objects.ObjectsBenchmark.WholeFiles;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a run of {@code bench objects} found. */
record ObjectsFindings(int rounds, Passes<WholeFiles> passes) {
  private static final double MEDIAN = 50;
  private static final double NINETY_NINE = 99;

  Findings all() {
    return Findings.of(
        List.of(
            new Section("Whole files", null, grid(), ""),
            new Section("By phase", null, PhaseTable.of(passes), "")),
        List.of(note(), PhaseTable.NOTE),
        Map.of("points", Figures.points(passes, ObjectsFindings::fields)));
  }

  private static Map<String, Object> fields(WholeFiles what) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("file_bytes", what.bytes());
    fields.put("maps_cached", what.again());
    return fields;
  }

  private String note() {
    return "A file is opened, read to its end and closed; times are of all of that, medians of "
        + rounds
        + " rounds and latencies of all their files. Block files are out of the page cache when"
        + " they are read for the first time, unless told otherwise; the second time stock HDFS"
        + " reads them from there, the others never do. RDIO waits for the map of each file"
        + " (dfs.client.rdio.first.bytes = 0). The raw device is O_DIRECT on the files' extents,"
        + " without checksums, with a ring of io_uring of its own for each file, which small files"
        + " pay for.";
  }

  private Grid grid() {
    List<List<String>> rows = new ArrayList<>();
    for (WholeFiles what : passes.keys()) {
      passes.ways(what).forEach(way -> rows.add(row(what, way)));
    }
    return new Grid(
        List.of(
            "",
            "way",
            "MB/s",
            "files/s",
            "p50 µs",
            "p99 µs",
            "client s/GB",
            "DataNode s/GB",
            "loopback B/B",
            "by this way"),
        rows);
  }

  private List<String> row(WholeFiles what, Way way) {
    return List.of(
        what.toString(),
        way.label(),
        median("%.1f", what, way, Pass::megabytesPerSecond),
        median("%.0f", what, way, Pass::readsPerSecond),
        Grid.cell("%.0f", passes.micros(what, way, MEDIAN)),
        Grid.cell("%.0f", passes.micros(what, way, NINETY_NINE)),
        median("%.3f", what, way, Pass::clientCpuPerGigabyte),
        median("%.3f", what, way, Pass::dataNodeCpuPerGigabyte),
        median("%.4f", what, way, Pass::loopbackPerByte),
        median("%.1f %%", what, way, Pass::percentByWay));
  }

  private String median(String format, WholeFiles what, Way way, ToDoubleFunction<Pass> figure) {
    return Grid.cell(format, passes.median(what, way, figure));
  }
}
