// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.report.Drawing;
import io.rdio.bench.report.Grid;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.internal.chartpart.IChart;

/** What a run found. */
public final class Findings {
  private final List<Section> sections;
  private final List<String> notes;
  private final Map<String, Object> fields;

  private Findings(List<Section> sections, List<String> notes, Map<String, Object> fields) {
    this.sections = List.copyOf(sections);
    this.notes = List.copyOf(notes);
    this.fields = fields;
  }

  /**
   * Puts them together.
   *
   * @param sections in the order in which they are shown
   * @param notes how to read the figures, in paragraphs
   * @param fields for JSON, behind those that every run has
   */
  public static Findings of(
      List<Section> sections, List<String> notes, Map<String, Object> fields) {
    return new Findings(sections, notes, fields);
  }

  List<Section> sections() {
    return sections;
  }

  List<String> notes() {
    return notes;
  }

  Map<String, Object> fields() {
    return fields;
  }

  /**
   * A part of what is shown. A terminal has neither headlines nor charts.
   *
   * @param headline empty for none
   * @param drawing a picture of this project's own
   * @param text behind the table, empty for none; with the end of its last line
   */
  public record Section(
      String headline,
      @Nullable Supplier<? extends IChart> chart,
      @Nullable Drawing drawing,
      @Nullable Grid grid,
      String text) {
    /** Without a picture of this project's own. */
    public Section(
        String headline,
        @Nullable Supplier<? extends IChart> chart,
        @Nullable Grid grid,
        String text) {
      this(headline, chart, null, grid, text);
    }
  }
}
