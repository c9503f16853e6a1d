// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.report.ChartFiles;
import java.awt.Color;
import java.awt.Graphics2D;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.IChart;
import org.knowm.xchart.style.Styler.LegendPosition;

/**
 * Draws hit ratio and traffic against the storage cache's size: a row of two plots for each
 * workload, a curve for each policy.
 */
record TwoLevelChart(List<XYChart> plots) implements IChart {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 300;
  private static final int COLUMNS = 2;
  private static final double MEGABYTE = 1e6;

  /** The same in all plots; told apart also by who cannot tell red from green. */
  private static final Map<String, Color> COLORS =
      Map.of(
          "Vanilla", new Color(0x77, 0x77, 0x77),
          "Incl", new Color(0xD5, 0x5E, 0x00),
          "DEMOTE", new Color(0xE6, 0x9F, 0x00),
          "DM-Cache", new Color(0xCC, 0x79, 0xA7),
          "BNEX", new Color(0x00, 0x72, 0xB2),
          "BNEX-S3-FIFO", new Color(0x00, 0x9E, 0x73));

  /** Draws to a .png or .svg file. */
  static void draw(List<TwoLevelResult> results, Path file) throws IOException {
    List<XYChart> plots = new ArrayList<>();
    Map<String, List<TwoLevelResult>> byWorkload = new LinkedHashMap<>();
    for (TwoLevelResult result : results) {
      byWorkload.computeIfAbsent(result.workload(), name -> new ArrayList<>()).add(result);
    }
    byWorkload.forEach(
        (workload, its) -> {
          XYChart hits = plot(workload, "hit ratio of level 2", its, TwoLevelResult::hitRatio);
          hits.getStyler().setYAxisMax(1.0);
          hits.getStyler().setLegendVisible(false);
          plots.add(hits);
          plots.add(
              plot(
                  workload,
                  "MB over the network",
                  its,
                  result -> result.counts().networkBytes() / MEGABYTE));
        });
    ChartFiles.save(new TwoLevelChart(plots), file);
  }

  private static XYChart plot(
      String workload,
      String quantity,
      List<TwoLevelResult> results,
      ToDoubleFunction<TwoLevelResult> value) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(workload + ": " + quantity)
            .xAxisTitle("storage cache, % of what level 1 does not hold")
            .yAxisTitle(quantity)
            .build();
    chart.getStyler().setChartBackgroundColor(Color.WHITE);
    chart.getStyler().setLegendBorderColor(Color.WHITE);
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setYAxisMin(0.0);
    Map<String, SortedMap<Double, Double>> curves = new LinkedHashMap<>();
    for (TwoLevelResult result : results) {
      curves
          .computeIfAbsent(result.policy(), policy -> new TreeMap<>())
          .put(result.fraction() * 100, value.applyAsDouble(result));
    }
    curves.forEach(
        (policy, points) -> {
          XYSeries curve =
              chart.addSeries(policy, List.copyOf(points.keySet()), List.copyOf(points.values()));
          curve.setMarkerColor(COLORS.get(policy));
          curve.setLineColor(COLORS.get(policy));
        });
    return chart;
  }

  @Override
  public void paint(Graphics2D graphics, int width, int height) {
    for (int i = 0; i < plots.size(); i++) {
      int x = i % COLUMNS * WIDTH;
      int y = i / COLUMNS * HEIGHT;
      graphics.translate(x, y);
      plots.get(i).paint(graphics, WIDTH, HEIGHT);
      graphics.translate(-x, -y);
    }
  }

  @Override
  public int getWidth() {
    return COLUMNS * WIDTH;
  }

  @Override
  public int getHeight() {
    return (plots.size() + COLUMNS - 1) / COLUMNS * HEIGHT;
  }

  @Override
  public String getTitle() {
    return "Two levels of cache";
  }
}
