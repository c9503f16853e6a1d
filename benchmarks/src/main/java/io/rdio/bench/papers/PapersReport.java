// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.Page;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;

/**
 * A run of {@code bench papers} as it is shown.
 *
 * @param command as the user typed it
 * @param machine that everything was run on, but for figures that name another one
 * @param quick whether the shape is all that was asked for
 */
record PapersReport(String command, Machine machine, boolean quick, List<Verdict> verdicts) {
  private static final String QUICK =
      "A quick run: so little is run that orderings and signs mean something, values do not.";

  private static final String ELSEWHERE =
      "Parts were run on other machines: their figures say which.";

  PapersReport {
    verdicts = List.copyOf(verdicts);
  }

  private boolean isFromElsewhere() {
    return verdicts.stream().anyMatch(verdict -> !verdict.elsewhere().isEmpty());
  }

  /** For a terminal: a row for each figure, then why shapes, or machines, are other ones. */
  String text() {
    List<List<String>> rows =
        verdicts.stream()
            .map(
                verdict ->
                    List.of(verdict.figure().id(), verdict.label(), verdict.figure().title()))
            .toList();
    StringBuilder text = new StringBuilder("\n$ ").append(command).append('\n');
    text.append(machine.describe()).append('\n');
    if (isFromElsewhere()) {
      text.append(ELSEWHERE).append('\n');
    }
    text.append('\n');
    rows.forEach(
        row -> text.append(Grid.cell("%-22s %-16s %s%n", row.get(0), row.get(1), row.get(2))));
    text.append('\n');
    for (Verdict verdict : verdicts) {
      if (!verdict.shape().equals(Verdict.SAME) || !verdict.elsewhere().isEmpty()) {
        text.append(Grid.wrapped(verdict.figure().id() + ": " + verdict.why()));
      }
    }
    return text.toString();
  }

  /** For programs. */
  String json() throws IOException {
    Map<String, Object> fields = Map.of("figures", verdicts.stream().map(Verdict::fields).toList());
    return new JsonSerialization<>(Map.class, false, true).toJson(fields) + "\n";
  }

  /** One page for people, which loads nothing. */
  String html() {
    Page page = new Page("RDIO-HDFS: the papers' figures, run again");
    page.command(command).text(machine.describe());
    if (isFromElsewhere()) {
      page.text(ELSEWHERE);
    }
    if (quick) {
      page.text(QUICK);
    }
    page.text(
        "MinIO's place is taken by stock HDFS, replicated or erasure-coded. One machine stands for"
            + " compute and storage nodes, loop devices for namespaces, loopback for the network."
            + " 'As in the paper' means that the orderings and signs which are named are there, not"
            + " that values are.");
    page.grid(summary());
    for (Paper paper : Paper.values()) {
      List<Verdict> its =
          verdicts.stream().filter(verdict -> verdict.figure().paper() == paper).toList();
      if (!its.isEmpty()) {
        page.headline(paper.shortName()).text(paper.citation());
        its.forEach(verdict -> show(verdict, page));
      }
    }
    return page.html();
  }

  private Grid summary() {
    return new Grid(
        List.of("figure", "", "shape"),
        verdicts.stream()
            .map(
                verdict ->
                    List.of(verdict.figure().id(), verdict.figure().title(), verdict.label()))
            .toList());
  }

  private void show(Verdict verdict, Page page) {
    Figure figure = verdict.figure();
    page.headline(figure.id() + ": " + figure.title());
    if (verdict.isBad()) {
      page.warning("Shape: " + verdict.label());
    } else {
      page.text("Shape: " + verdict.label());
    }
    if (!verdict.why().isEmpty()) {
      page.text(verdict.why());
    }
    figure.parts().forEach(part -> page.command(part.runs(quick)));
    Measured ours = verdict.ours();
    if (ours != null) {
      ours.panels().forEach(panel -> show("Ours: " + panel.title(), panel, page));
    }
    Published published = figure.published();
    page.text("The paper: " + published.source());
    published.sayings().forEach(page::text);
    if (published.panels().isEmpty()) {
      page.text(Published.NO_NUMBERS);
    }
    published.panels().forEach(panel -> show("The paper: " + panel.title(), panel, page));
  }

  private static void show(String title, Panel panel, Page page) {
    page.text(title).drawing(panel.chart()).grid(panel.grid());
  }
}
