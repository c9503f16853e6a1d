// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.client.Task.Kind;
import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.report.Page;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The page of {@code bench read}: plots first, then all tables. */
final class ReadPage {
  private ReadPage() {}

  static String html(ReadResult result) throws IOException {
    Page page =
        new Page("RDIO-HDFS: bench read")
            .command(result.command())
            .text(result.machine().describe())
            .text(result.setup());
    result.passes().wrongWays().forEach(wrong -> page.warning("Not as it should be: " + wrong));
    page.headline("Sequential reads").chart(throughput(result.passes()));
    page.grid(result.grid(Measure.SEQUENTIAL));
    page.headline("CPU").chart(cpu(result.passes()));
    for (Measure what : result.passes().keys()) {
      if (what.kind() != Kind.SEQUENTIAL) {
        page.headline(what.toString());
        page.chart(Plots.distribution(what.toString(), latencies(result.passes(), what)));
        page.grid(result.grid(what));
      }
    }
    page.headline("Targets").grid(result.targetGrid());
    page.headline("How to read this");
    result.notes().forEach(page::text);
    return page.html();
  }

  private static Map<Way, Histogram> latencies(Passes<Measure> passes, Measure what) {
    Map<Way, Histogram> latencies = new EnumMap<>(Way.class);
    passes.ways(what).forEach(way -> latencies.put(way, passes.histogram(what, way)));
    return latencies;
  }

  /** A bar for each way through HDFS, its slowest and fastest round, and the device's line. */
  private static CategoryChart throughput(Passes<Measure> passes) {
    List<Way> ways = throughHdfs(passes);
    List<String> labels = ways.stream().map(Way::label).toList();
    List<Double> medians = new ArrayList<>();
    List<Double> slowest = new ArrayList<>();
    List<Double> fastest = new ArrayList<>();
    for (Way way : ways) {
      Spread spread = passes.spread(Measure.SEQUENTIAL, way, Pass::megabytesPerSecond);
      medians.add(spread.median());
      slowest.add(spread.min());
      fastest.add(spread.max());
    }
    double raw = passes.spread(Measure.SEQUENTIAL, Way.RAW, Pass::megabytesPerSecond).median();
    CategoryChart chart = bars("sequential throughput", "MB/s");
    chart.getStyler().setOverlapped(true);
    chart.addSeries("median", labels, medians).setFillColor(Plots.color(Way.RDIO));
    chart
        .addSeries("slowest round", labels, slowest)
        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter)
        .setMarker(SeriesMarkers.TRIANGLE_UP)
        .setMarkerColor(Plots.color(Way.STOCK));
    chart
        .addSeries("fastest round", labels, fastest)
        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter)
        .setMarker(SeriesMarkers.TRIANGLE_DOWN)
        .setMarkerColor(Plots.color(Way.SHORT_CIRCUIT));
    chart
        .addSeries(Way.RAW.label(), labels, labels.stream().map(label -> raw).toList())
        .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Line)
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(Plots.color(Way.RAW));
    return chart;
  }

  private static CategoryChart cpu(Passes<Measure> passes) {
    List<Way> ways = throughHdfs(passes);
    List<String> labels = ways.stream().map(Way::label).toList();
    CategoryChart chart = bars("CPU of sequential reads", "s/GB");
    chart.getStyler().setStacked(true);
    chart
        .addSeries("client", labels, medians(passes, ways, Pass::clientCpuPerGigabyte))
        .setFillColor(Plots.color(Way.RDIO));
    chart
        .addSeries("DataNode", labels, medians(passes, ways, Pass::dataNodeCpuPerGigabyte))
        .setFillColor(Plots.color(Way.STOCK));
    return chart;
  }

  private static List<Double> medians(
      Passes<Measure> passes, List<Way> ways, ToDoubleFunction<Pass> figure) {
    return ways.stream()
        .map(way -> passes.spread(Measure.SEQUENTIAL, way, figure).median())
        .toList();
  }

  private static List<Way> throughHdfs(Passes<Measure> passes) {
    return passes.ways(Measure.SEQUENTIAL).stream().filter(way -> way != Way.RAW).toList();
  }

  private static CategoryChart bars(String title, String unit) {
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(Plots.WIDTH)
            .height(Plots.HEIGHT)
            .title(title)
            .yAxisTitle(unit)
            .build();
    Plots.style(chart.getStyler());
    chart.getStyler().setAvailableSpaceFill(0.5);
    chart.getStyler().setYAxisMin(0.0);
    return chart;
  }
}
