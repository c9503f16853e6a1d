// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.ycsb;

import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Figures;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Sizes;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Page;
import io.rdio.bench.ycsb.YcsbBenchmark.Point;
import io.rdio.bench.ycsb.YcsbOptions.Distribution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.util.JsonSerialization;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * What a run of {@code bench ycsb} found.
 *
 * @param command as the user typed it
 */
record YcsbResult(
    String command,
    Machine machine,
    YcsbOptions options,
    ClusterOptions where,
    Passes<Point> passes)
    implements ClusterOptions.Output {
  private static final double NANOS_PER_MICRO = 1e3;

  String setup() {
    String sizes =
        options.sizes().stream().map(size -> Sizes.label(size)).collect(Collectors.joining(", "));
    return String.format(
        Locale.ROOT,
        "%s; %d files of %s, reads of %s",
        where.describe(),
        options.files(),
        Sizes.label(options.fileBytes()),
        sizes);
  }

  /** How to read the figures. */
  String note() {
    return "Positional reads only, checksums verified by all. MB/s and reads/s: median of "
        + options.rounds()
        + " rounds, the ways in turn; latencies: of all reads of all rounds. Each thread reads"
        + " again as soon as it has its bytes (closed loop). Files are cut into items as long as the"
        + " longest read, and each item has a size of its own; Zipf chooses items by rank, scrambled"
        + " over the files. The clients' JVMs live over all points and were warmed up. Where the page"
        + " cache is cold at the start of a pass, stock remote warms it as it goes; RDIO never uses"
        + " it. The block data cache keeps what the points before have left in it. MB: 10^6 bytes.";
  }

  Grid grid(Distribution distribution) {
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
        String.format(Locale.ROOT, "%.0f", speed),
        String.format(Locale.ROOT, "%.2f", speed / speed(point, Way.STOCK)),
        String.format(
            Locale.ROOT, "%.0f", passes.spread(point, way, Pass::readsPerSecond).median()),
        String.format(Locale.ROOT, "%.0f", micros(point, way, 50)),
        String.format(Locale.ROOT, "%.0f", micros(point, way, 99)),
        String.format(
            Locale.ROOT, "%.3f", passes.spread(point, way, Pass::clientCpuPerGigabyte).median()),
        String.format(
            Locale.ROOT, "%.3f", passes.spread(point, way, Pass::dataNodeCpuPerGigabyte).median()),
        String.format(Locale.ROOT, "%.3f", passes.spread(point, way, Pass::devicePerByte).median()),
        way != Way.CACHED
            ? ""
            : String.format(
                Locale.ROOT,
                "%.1f",
                100 * passes.spread(point, way, Pass::cacheHitRatio).median()));
  }

  private double speed(Point point, Way way) {
    return passes.spread(point, way, Pass::megabytesPerSecond).median();
  }

  private double micros(Point point, Way way, double percentile) {
    return passes.histogram(point, way).getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }

  /** For a terminal. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n$ ").append(command).append('\n');
    text.append(machine.describe()).append("\n").append(Grid.wrapped(setup()));
    for (Distribution distribution : options.distributions()) {
      text.append(grid(distribution).text()).append('\n');
    }
    text.append(Grid.wrapped(note()));
    for (String wrong : passes.wrongWays()) {
      text.append("NOT AS IT SHOULD BE: ").append(wrong).append('\n');
    }
    return text.toString();
  }

  @Override
  public String json() throws IOException {
    Map<String, Object> setup = new LinkedHashMap<>(where.fields());
    setup.put("files", options.files());
    setup.put("file_bytes", options.fileBytes());
    setup.put("read_sizes", options.sizes());
    setup.put("rounds", options.rounds());
    setup.put("seconds", options.seconds());
    setup.put("data_cache_bytes", options.dataCacheBytes());
    List<Object> points = new ArrayList<>();
    for (Point point : passes.keys()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("distribution", point.distribution().name().toLowerCase(Locale.ROOT));
      fields.put("threads", point.threads());
      fields.put("ways", Figures.byWay(passes, point));
      points.add(fields);
    }
    Map<String, Object> fields = Figures.ofRun(command, machine, setup, passes);
    fields.put("points", points);
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  @Override
  public String html() throws IOException {
    Page page =
        new Page("RDIO-HDFS: bench ycsb").command(command).text(machine.describe()).text(setup());
    passes.wrongWays().forEach(wrong -> page.warning("Not as it should be: " + wrong));
    for (Distribution distribution : options.distributions()) {
      page.headline(distribution.toString()).chart(curve(distribution)).grid(grid(distribution));
    }
    return page.headline("How to read this").text(note()).html();
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
    for (Way way : options.ways()) {
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
        micros.add(micros(point, way, percentile));
      }
    }
    XYSeries series = chart.addSeries(way.label() + ", p" + percentile, speeds, micros);
    series.setLineColor(Plots.color(way));
    series.setLineStyle(percentile == 50 ? SeriesLines.SOLID : SeriesLines.DASH_DASH);
    series.setMarker(SeriesMarkers.CIRCLE);
    series.setMarkerColor(Plots.color(way));
  }
}
