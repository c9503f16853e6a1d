// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.report.Drawing;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Page;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.util.JsonSerialization;
import org.knowm.xchart.internal.chartpart.IChart;

/** A macro benchmark's run as it is shown. */
public final class Report<K> {
  private final String command;
  private final Machine machine;
  private final ClusterOptions where;
  private final ClusterBenchmark<K> benchmark;
  private final Passes<K> passes;

  private Report(
      String command,
      Machine machine,
      ClusterOptions where,
      ClusterBenchmark<K> benchmark,
      Passes<K> passes) {
    this.command = command;
    this.machine = machine;
    this.where = where;
    this.benchmark = benchmark;
    this.passes = passes;
  }

  /**
   * Of one run.
   *
   * @param command as the user typed it
   */
  public static <K> Report<K> of(
      String command,
      Machine machine,
      ClusterOptions where,
      ClusterBenchmark<K> benchmark,
      Passes<K> passes) {
    return new Report<>(command, machine, where, benchmark, passes);
  }

  private String setup() {
    return where.describe() + "; " + benchmark.describe();
  }

  private Findings findings() {
    return benchmark.findings(passes, where);
  }

  /** For a terminal. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n$ ").append(command).append('\n');
    text.append(machine.describe()).append('\n').append(Grid.wrapped(setup()));
    Findings findings = findings();
    for (Section section : findings.sections()) {
      Grid grid = section.grid();
      if (grid != null) {
        text.append(grid.text()).append('\n');
      }
      text.append(section.text());
    }
    findings.notes().forEach(note -> text.append(Grid.wrapped(note)));
    for (String wrong : passes.wrongWays()) {
      text.append("NOT AS IT SHOULD BE: ").append(wrong).append('\n');
    }
    return text.toString();
  }

  /** All figures for programs. */
  public String json() throws IOException {
    Map<String, Object> setup = new LinkedHashMap<>(where.fields());
    setup.putAll(benchmark.fields());
    Map<String, Object> fields =
        Figures.ofRun(command, machine, setup, benchmark.verified(), passes);
    fields.putAll(findings().fields());
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  /** One page for people. */
  public String html(String title) throws IOException {
    Page page = new Page(title).command(command).text(machine.describe()).text(setup());
    passes.wrongWays().forEach(wrong -> page.warning("Not as it should be: " + wrong));
    Findings findings = findings();
    for (Section section : findings.sections()) {
      show(section, page);
    }
    page.headline("How to read this");
    findings.notes().forEach(page::text);
    return page.html();
  }

  private static void show(Section section, Page page) throws IOException {
    if (!section.headline().isEmpty()) {
      page.headline(section.headline());
    }
    Supplier<? extends IChart> chart = section.chart();
    if (chart != null) {
      page.chart(chart.get());
    }
    Drawing drawing = section.drawing();
    if (drawing != null) {
      page.drawing(drawing);
    }
    Grid grid = section.grid();
    if (grid != null) {
      page.grid(grid);
    }
    if (!section.text().isEmpty()) {
      page.text(section.text());
    }
  }
}
