// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Plots that several reports have. */
public final class Plots {
  /** Of every plot, in pixels. */
  public static final int WIDTH = 900;

  /** Of every plot, in pixels. */
  public static final int HEIGHT = 420;

  private static final double NANOS_PER_MICRO = 1e3;
  private static final int STEPS_PER_HALVING = 20;

  private Plots() {}

  /** The colour of a way, the same in all plots; also for who cannot tell red from green. */
  public static Color color(Way way) {
    return switch (way) {
      case STOCK -> new Color(0xD5, 0x5E, 0x00);
      case SHORT_CIRCUIT -> new Color(0xE6, 0x9F, 0x00);
      case RDIO -> new Color(0x00, 0x72, 0xB2);
      case GROWN -> new Color(0xF0, 0xE4, 0x42);
      case AGENT -> new Color(0xCC, 0x79, 0xA7);
      case IMMEDIATE -> new Color(0x00, 0x9E, 0x73);
      case DEFERRED -> new Color(0x33, 0x22, 0x88);
      case ROUTED -> new Color(0x2c, 0xa0, 0x2c);
      case CACHED -> new Color(0x56, 0xB4, 0xE9);
      case LOCAL -> new Color(0x00, 0x00, 0x00);
      case RAW -> new Color(0x77, 0x77, 0x77);
    };
  }

  /** What all plots have in common. */
  public static void style(Styler styler) {
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotBorderVisible(false);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setLegendPosition(LegendPosition.OutsideE);
  }

  /** Share of reads that took no longer, against time on a logarithmic axis. */
  public static XYChart distribution(String title, Map<Way, Histogram> latencies) {
    XYChart chart =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title)
            .xAxisTitle("µs")
            .yAxisTitle("% of reads within")
            .build();
    chart.getStyler().setXAxisLogarithmic(true);
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setYAxisMax(100.0);
    style(chart.getStyler());
    chart.getStyler().setMarkerSize(0);
    latencies.forEach((way, histogram) -> addCurve(chart, way, histogram));
    return chart;
  }

  private static void addCurve(XYChart chart, Way way, Histogram histogram) {
    List<Double> micros = new ArrayList<>();
    List<Double> percent = new ArrayList<>();
    for (HistogramIterationValue step : histogram.percentiles(STEPS_PER_HALVING)) {
      micros.add(Math.max(step.getValueIteratedTo(), 1) / NANOS_PER_MICRO);
      percent.add(step.getPercentile());
    }
    chart
        .addSeries(way.label(), micros, percent)
        .setMarker(SeriesMarkers.NONE)
        .setLineColor(color(way));
  }
}
