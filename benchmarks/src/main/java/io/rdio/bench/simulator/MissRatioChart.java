// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.simulator;

import io.rdio.bench.report.ChartFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Draws miss ratio against cache size, a curve per policy. */
final class MissRatioChart {
  private MissRatioChart() {}

  /** Draws the results of one trace. */
  static void draw(List<Result> results, Path file) throws IOException {
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
    ChartFiles.save(chart, file);
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
}
