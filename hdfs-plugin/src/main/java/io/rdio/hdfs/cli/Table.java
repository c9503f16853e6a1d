// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/** Rows in aligned columns; numbers to the right. */
final class Table {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final int[] widths;
  private final boolean[] numeric;

  Table(String... titles) {
    widths = new int[titles.length];
    numeric = new boolean[titles.length];
    add(List.of(titles));
  }

  /** Adds a row with one cell for each column; a Number's column is aligned to the right. */
  void row(Object... cells) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < cells.length; i++) {
      numeric[i] |= cells[i] instanceof Number;
      texts.add(cells[i].toString());
    }
    add(texts);
  }

  private void add(List<String> texts) {
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Math.max(widths[i], texts.get(i).length());
    }
    rows.add(texts);
  }

  void print(PrintWriter out) {
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        String padding = " ".repeat(widths[i] - row.get(i).length());
        line.append(i == 0 ? "" : GAP);
        line.append(numeric[i] ? padding + row.get(i) : row.get(i) + padding);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  /** Bytes as people read them, such as 1.5 GB, where k is 1024. */
  static String bytes(long count) {
    return TraditionalBinaryPrefix.long2String(count, "B", 1);
  }
}
