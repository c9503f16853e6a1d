// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.hdfs.Findings.Section;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Page;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * A macro benchmark's run as it is shown.
 *
 * @param command as the user typed it
 */
public record Report<K>(
    String command,
    Machine machine,
    ClusterOptions where,
    ClusterBenchmark<K> benchmark,
    Passes<K> passes) {

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
      if (section.grid() != null) {
        text.append(section.grid().text()).append('\n');
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
    Map<String, Object> fields = Figures.ofRun(command, machine, setup, passes);
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
    if (section.chart() != null) {
      page.chart(section.chart().get());
    }
    if (section.grid() != null) {
      page.grid(section.grid());
    }
    if (!section.text().isEmpty()) {
      page.text(section.text());
    }
  }
}
