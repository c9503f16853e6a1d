// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Comma-separated values that commands printed, among other lines. */
final class Csv {
  private Csv() {}

  /**
   * The rows behind a heading, each by column.
   *
   * @param first what the heading begins with
   */
  static List<Map<String, String>> rows(List<String> printed, String first) {
    List<Map<String, String>> rows = new ArrayList<>();
    String[] heading = null;
    for (String line : printed) {
      String[] cells = line.split(",", -1);
      if (line.startsWith(first + ",")) {
        heading = cells;
      } else if (heading != null && cells.length == heading.length) {
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < cells.length; i++) {
          row.put(heading[i], cells[i]);
        }
        rows.add(row);
      }
    }
    return rows;
  }

  /** A cell; "" if there is no such column. */
  static String text(Map<String, String> row, String column) {
    return row.getOrDefault(column, "");
  }

  /**
   * A cell with a number; NaN if there is none.
   *
   * @throws IllegalArgumentException if it has something else
   */
  static double number(Map<String, String> row, String column) {
    String text = text(row, column);
    return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
  }
}
