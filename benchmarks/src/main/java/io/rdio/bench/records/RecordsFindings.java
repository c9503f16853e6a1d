// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.records;

import io.rdio.bench.client.Task;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.records.RecordsBenchmark.Point;
import io.rdio.bench.report.Grid;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a run of {@code bench records} found. */
record RecordsFindings(int rounds, Passes<Point> passes) {
  private static final double MEDIAN = 50;
  private static final double NINETY_NINE = 99;
  private static final double PERCENT = 100;

  Findings all() {
    return Findings.of(
        List.of(new Section("Operations", null, grid(), "")),
        List.of(note()),
        Map.of("points", Figures.points(passes, this::fields)));
  }

  private Map<String, Object> fields(Point point) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("workload", point.mix().name());
    fields.put("threads", point.threads());
    double share = shareWritten(point, Way.AGENT);
    if (!Double.isNaN(share)) {
      fields.put("agent_share_written", share);
    }
    return fields;
  }

  /** What went by RDIO of the bytes that a way wrote in all rounds; NaN if it wrote none. */
  private double shareWritten(Point point, Way way) {
    List<Pass> its = passes.of(point, way);
    return (double) its.stream().mapToLong(pass -> pass.answer().written().byRdio()).sum()
        / its.stream().mapToLong(pass -> pass.answer().written().bytes()).sum();
  }

  private String note() {
    return "Operations/s: median of "
        + rounds
        + " rounds, the ways in turn; latencies: of all operations of all rounds. A record is a"
        + " file: read, it is opened, read to its end and closed; written anew, it gets a new file,"
        + " as an object of a store does. The ways write by stock HDFS, but the agent's, which"
        + " writes by RDIO as long as there are slots (written by RDIO: what of its bytes went so);"
        + " before each pass all slots are free. Each thread goes on as soon as its operation is"
        + " done (closed loop). A pass ends before its time when it has written "
        + Sizes.label(Task.RECORDS_WRITTEN_MAX)
        + ". The page cache is dropped once, before the first pass, and stock"
        + " HDFS reads from it afterwards; RDIO, local files and the raw device never do. Local"
        + " files are the DataNode's own block files, opened, read by O_DIRECT and closed on its"
        + " host, and files of the same volume that are written so: without a server, network and"
        + " checksums; what was written is on the device, the file system's records of it may not"
        + " be. By this way: what of the bytes read; records that were just written may come by"
        + " stock HDFS.";
  }

  private Grid grid() {
    List<List<String>> rows = new ArrayList<>();
    for (Point point : passes.keys()) {
      passes.ways(point).forEach(way -> rows.add(row(point, way)));
    }
    return new Grid(
        List.of(
            "",
            "way",
            "operations/s",
            "p50 µs",
            "p99 µs",
            "MB/s read",
            "by this way",
            "written by RDIO"),
        rows);
  }

  private List<String> row(Point point, Way way) {
    boolean reads = !point.mix().writesOnly();
    return List.of(
        point.toString(),
        way.label(),
        Grid.cell("%.0f", passes.median(point, way, Pass::readsPerSecond)),
        Grid.cell("%.0f", passes.micros(point, way, MEDIAN)),
        Grid.cell("%.0f", passes.micros(point, way, NINETY_NINE)),
        reads ? Grid.cell("%.1f", passes.median(point, way, Pass::megabytesPerSecond)) : "",
        reads ? Grid.cell("%.1f %%", passes.median(point, way, Pass::percentByWay)) : "",
        way == Way.AGENT ? percent(shareWritten(point, way)) : "");
  }

  private static String percent(double share) {
    return Double.isNaN(share) ? "" : Grid.cell("%.1f %%", PERCENT * share);
  }
}
