// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import io.rdio.bench.hdfs.Pass;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.hdfs.Spread;
import io.rdio.bench.hdfs.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The charts of sequential reads. */
final class ReadCharts {
  private ReadCharts() {}

  /** A bar for each way through HDFS, its slowest and fastest round, and the device's line. */
  static CategoryChart throughput(Passes<Measure> passes) {
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
    double raw = passes.median(Measure.SEQUENTIAL, Way.RAW, Pass::megabytesPerSecond);
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

  /** A bar for each way through HDFS: CPU of its client, of the DataNode and of the agent. */
  static CategoryChart cpu(Passes<Measure> passes) {
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
    chart
        .addSeries("agent", labels, medians(passes, ways, Pass::agentCpuPerGigabyte))
        .setFillColor(Plots.color(Way.AGENT));
    return chart;
  }

  private static List<Double> medians(
      Passes<Measure> passes, List<Way> ways, ToDoubleFunction<Pass> figure) {
    return ways.stream().map(way -> passes.median(Measure.SEQUENTIAL, way, figure)).toList();
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
