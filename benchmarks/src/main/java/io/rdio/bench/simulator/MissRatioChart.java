// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws miss ratio against cache size, a curve per policy. */
final class MissRatioChart {
  private static final Set<String> FORMATS = Set.of("png", "svg");

  private MissRatioChart() {}

  /** Refuses a file whose name ends neither in .png nor in .svg. */
  static void checkName(Path file) {
    if (!FORMATS.contains(format(file))) {
      throw new IllegalArgumentException(
          "cannot draw to " + file + ": its name must end in .png or .svg");
    }
  }

  /** Draws the results of one trace. */
  static void draw(List<Result> results, Path file) throws IOException {
    System.setProperty("java.awt.headless", "true");
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(600)
            .title("Miss ratio, " + results.get(0).trace())
            .xAxisTitle("cache size, objects")
            .yAxisTitle("miss ratio")
            .build();
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(1.0);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    curves(results)
        .forEach(
            (policy, points) ->
                chart.addSeries(
                    policy, List.copyOf(points.keySet()), List.copyOf(points.values())));
    try (OutputStream out = Files.newOutputStream(file)) {
      ChartEncoder.saveChart(chart, out, format(file));
    }
  }

  private static Map<String, SortedMap<Integer, Double>> curves(List<Result> results) {
    Map<String, SortedMap<Integer, Double>> curves = new LinkedHashMap<>();
    for (Result result : results) {
      curves
          .computeIfAbsent(result.policy(), policy -> new TreeMap<>())
          .put(result.cacheObjects(), result.missRatio());
    }
    return curves;
  }

  private static String format(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
