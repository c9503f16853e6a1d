// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.List;
import java.util.Locale;

/**
 * A table: the first column names what the others are figures of.
 *
 * @param head one for each column
 * @param rows each with as many cells as the head
 */
public record Grid(List<String> head, List<List<String>> rows) {
  private static final String GAP = "  ";

  public Grid {
    head = List.copyOf(head);
    rows = List.copyOf(rows);
  }

  /** A figure as cells have it, by a format of its own. */
  public static String cell(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** For a terminal: the first column to the left, figures to the right. */
  public String text() {
    StringBuilder text = new StringBuilder();
    appendRow(text, head);
    rows.forEach(row -> appendRow(text, row));
    return text.toString();
  }

  /** A paragraph for a terminal, and an empty line. */
  public static String wrapped(String paragraph) {
    return paragraph.replaceAll("(.{1,100})( |$)", "$1\n") + "\n";
  }

  private void appendRow(StringBuilder text, List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String padding = " ".repeat(width(i) - row.get(i).length());
      line.append(i == 0 ? row.get(i) + padding : GAP + padding + row.get(i));
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private int width(int column) {
    int width = head.get(column).length();
    for (List<String> row : rows) {
      width = Math.max(width, row.get(column).length());
    }
    return width;
  }
}
