// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.io.PrintWriter;
import java.util.Locale;

/** Rows that are printed as they are found: as comma-separated values, or below each other. */
public final class CsvTable {
  private final PrintWriter out;
  private final boolean csv;
  private final String columns;

  private CsvTable(PrintWriter out, boolean csv, String columns) {
    this.out = out;
    this.csv = csv;
    this.columns = columns;
  }

  /**
   * An empty one.
   *
   * @param csv whether as comma-separated values
   * @param columns a format with a {@code %s} for each value, for a table
   */
  public static CsvTable of(PrintWriter out, boolean csv, String columns) {
    return new CsvTable(out, csv, columns);
  }

  /** Prints a row, or the heading, of comma-separated values. */
  public void print(String values) {
    Object[] cells = values.split(",", -1);
    out.println(csv ? values : String.format(Locale.ROOT, columns, cells));
    out.flush();
  }
}
