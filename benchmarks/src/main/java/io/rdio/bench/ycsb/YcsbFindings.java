// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Findings;
import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** What a run of {@code bench ycsb} found. */
record YcsbFindings(YcsbBenchmark benchmark, Passes<Point> passes) {
  Findings all() {
    List<Section> sections =
        benchmark.distributions().stream()
            .map(which -> new Section(which.toString(), () -> curve(which), grid(which), ""))
            .toList();
    Object points = Figures.points(passes, YcsbFindings::fields);
    return Findings.of(sections, List.of(note()), Map.of("points", points));
  }

  private static Map<String, Object> fields(Point point) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("distribution", point.distribution().name().toLowerCase(Locale.ROOT));
    fields.put("threads", point.threads());
    return fields;
  }

  private String note() {
    return "Positional reads only, checksums verified by all. MB/s and reads/s: median of "
        + benchmark.rounds()
        + " rounds, the ways in turn; latencies: of all reads of all rounds. Each thread reads"
        + " again as soon as it has its bytes (closed loop). Files are cut into items as long as the"
        + " longest read, and each item has a size of its own; Zipf chooses items by rank, scrambled"
        + " over the files. The clients' JVMs live over all points and were warmed up. Where the page"
        + " cache is cold at the start of a pass, stock remote warms it as it goes; RDIO never uses"
        + " it. The block data cache keeps what the points before have left in it. MB: 10^6 bytes.";
  }

  private Grid grid(Distribution distribution) {
    List<List<String>> rows = new ArrayList<>();
    for (Point point : passes.keys()) {
      if (point.distribution() == distribution) {
        passes.ways(point).forEach(way -> rows.add(row(point, way)));
      }
    }
    return new Grid(
        List.of(
            distribution.toString(),
            "threads",
            "MB/s",
            "× stock",
            "reads/s",
            "p50 µs",
            "p99 µs",
            "client s/GB",
            "DataNode s/GB",
            "device B/B",
            "cache hits %"),
        rows);
  }

  private List<String> row(Point point, Way way) {
    double speed = speed(point, way);
    return List.of(
        way.label(),
        Integer.toString(point.threads()),
        Grid.cell("%.0f", speed),
        Grid.cell("%.2f", speed / speed(point, Way.STOCK)),
        cell("%.0f", point, way, Pass::readsPerSecond),
        Grid.cell("%.0f", passes.micros(point, way, 50)),
        Grid.cell("%.0f", passes.micros(point, way, 99)),
        cell("%.3f", point, way, Pass::clientCpuPerGigabyte),
        cell("%.3f", point, way, Pass::dataNodeCpuPerGigabyte),
        cell("%.3f", point, way, Pass::devicePerByte),
        way == Way.CACHED ? cell("%.1f", point, way, pass -> 100 * pass.cacheHitRatio()) : "");
  }

  private String cell(String format, Point point, Way way, ToDoubleFunction<Pass> figure) {
    return Grid.cell(format, passes.median(point, way, figure));
  }

  private double speed(Point point, Way way) {
    return passes.median(point, way, Pass::megabytesPerSecond);
  }

  /** Latency against throughput, a point for each number of threads. */
  private XYChart curve(Distribution distribution) {
    XYChart chart =
        new XYChartBuilder()
            .width(Plots.WIDTH)
            .height(Plots.HEIGHT)
            .title("latency and throughput, from the fewest threads to the most")
            .xAxisTitle("MB/s")
            .yAxisTitle("µs")
            .build();
    chart.getStyler().setYAxisLogarithmic(true);
    chart.getStyler().setXAxisMin(0.0);
    Plots.style(chart.getStyler());
    for (Way way : benchmark.ways()) {
      addCurve(chart, distribution, way, 50);
      addCurve(chart, distribution, way, 99);
    }
    return chart;
  }

  private void addCurve(XYChart chart, Distribution distribution, Way way, int percentile) {
    List<Double> speeds = new ArrayList<>();
    List<Double> micros = new ArrayList<>();
    for (Point point : passes.keys()) {
      if (point.distribution() == distribution) {
        speeds.add(speed(point, way));
        micros.add(passes.micros(point, way, percentile));
      }
    }
    XYSeries series = chart.addSeries(way.label() + ", p" + percentile, speeds, micros);
    series.setLineColor(Plots.color(way));
    series.setLineStyle(percentile == 50 ? SeriesLines.SOLID : SeriesLines.DASH_DASH);
    series.setMarker(SeriesMarkers.CIRCLE);
    series.setMarkerColor(Plots.color(way));
  }
}
