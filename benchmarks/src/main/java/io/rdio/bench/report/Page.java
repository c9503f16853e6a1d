// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.io.IOException;
import java.util.List;
import org.knowm.xchart.internal.chartpart.IChart;

/** An HTML page that needs nothing but itself: no script, no file beside it, no network. */
public final class Page {
  private static final String STYLE =
      """
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
             padding: 0 1rem; color: #222; background: #fff; }
      h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
      table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
      th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #ddd; }
      th:first-child, td:first-child { text-align: left; }
      .bad { color: #b00020; font-weight: 600; }
      svg { max-width: 100%; height: auto; }
      """;

  private final StringBuilder body = new StringBuilder();
  private final String title;
  private int charts;

  /** An empty page. */
  public Page(String title) {
    this.title = title;
    body.append("<h1>").append(escape(title)).append("</h1>\n");
  }

  /** A headline. */
  public Page headline(String text) {
    body.append("<h2>").append(escape(text)).append("</h2>\n");
    return this;
  }

  /** A paragraph. */
  public Page text(String text) {
    body.append("<p>").append(escape(text)).append("</p>\n");
    return this;
  }

  /** A paragraph that nobody must miss. */
  public Page warning(String text) {
    body.append("<p class=\"bad\">").append(escape(text)).append("</p>\n");
    return this;
  }

  /** A command as it was typed. */
  public Page command(String text) {
    body.append("<pre>").append(escape(text)).append("</pre>\n");
    return this;
  }

  /** A table. */
  public Page grid(Grid grid) {
    body.append("<table>\n");
    appendRow("th", grid.head());
    grid.rows().forEach(row -> appendRow("td", row));
    body.append("</table>\n");
    return this;
  }

  private void appendRow(String tag, List<String> cells) {
    body.append("<tr>");
    for (String cell : cells) {
      body.append('<').append(tag).append('>').append(escape(cell));
      body.append("</").append(tag).append('>');
    }
    body.append("</tr>\n");
  }

  /** A plot, as SVG within the page. */
  public Page chart(IChart chart) throws IOException {
    body.append(inline(ChartFiles.svg(chart), "chart" + charts++)).append('\n');
    return this;
  }

  /** A picture of this project's own. */
  public Page drawing(Drawing drawing) {
    body.append(drawing.svg()).append('\n');
    return this;
  }

  /** What a page can hold: no prolog, and ids that no other plot of the page has. */
  private static String inline(String svg, String prefix) {
    return svg.substring(svg.indexOf("<svg"))
        .replaceAll(" id=\"", " id=\"" + prefix + "-")
        .replaceAll("url\\(#", "url(#" + prefix + "-")
        .replaceAll("xlink:href=\"#", "xlink:href=\"#" + prefix + "-");
  }

  /** The whole page. */
  public String html() {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>"
        + escape(title)
        + "</title>\n<style>\n"
        + STYLE
        + "</style>\n</head>\n<body>\n"
        + body
        + "</body>\n</html>\n";
  }

  /** Text as elements hold it. */
  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
