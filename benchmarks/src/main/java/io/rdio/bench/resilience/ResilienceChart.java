// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.resilience;

import io.rdio.bench.hdfs.Plots;
import io.rdio.bench.report.ChartFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;

/**
 * RDIO's figure 5b: throughput, as a share of the healthy stock read's, against the number of dead
 * DataNodes; a line for each way. What fails is 0.
 */
final class ResilienceChart {
  private final XYChart chart;

  /**
   * @param policy of the erasure coding that is read
   */
  ResilienceChart(String policy) {
    chart =
        new XYChartBuilder()
            .width(Plots.WIDTH)
            .height(Plots.HEIGHT)
            .title(policy + ": reads past dead DataNodes")
            .xAxisTitle("DataNodes dead")
            .yAxisTitle("× the healthy stock read")
            .build();
    chart.getStyler().setYAxisMin(0.0);
    chart.getStyler().setXAxisDecimalPattern("#");
    Plots.style(chart.getStyler());
  }

  /**
   * Adds a way's line.
   *
   * @param dead numbers of DataNodes
   * @param normalized throughput with as many dead
   */
  void add(String way, List<Integer> dead, List<Double> normalized) {
    chart.addSeries(way, dead, normalized);
  }

  void save(Path file) throws IOException {
    ChartFiles.save(chart, file);
  }
}
