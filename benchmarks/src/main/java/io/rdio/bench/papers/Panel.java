// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.report.Drawing;
import io.rdio.bench.report.Grid;
import io.rdio.bench.report.SvgChart;
import io.rdio.bench.report.SvgStack;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One part of a figure: lines over what varies. Immutable.
 *
 * @param title by which checks find it
 * @param x what varies
 * @param y what the values are, with their unit
 * @param lines by name; each has a value for some labels of what varies. All in the order in which
 *     they are shown, all values finite
 * @param stacked whether the lines are parts of a whole, none below 0, shown as bars
 */
record Panel(
    String title, String x, String y, Map<String, Map<String, Double>> lines, boolean stacked) {
  private static final String STACKED = "stacked";
  private static final String NONE = "–";
  private static final double HUNDRED = 100;
  private static final double TEN = 10;

  Panel {
    Map<String, Map<String, Double>> copy = new LinkedHashMap<>();
    lines.forEach(
        (name, values) -> copy.put(name, Collections.unmodifiableMap(new LinkedHashMap<>(values))));
    lines = Collections.unmodifiableMap(copy);
  }

  /** Collects values, of one thread. */
  static final class Builder {
    private final String title;
    private final String x;
    private final String y;
    private final Map<String, Map<String, Double>> lines = new LinkedHashMap<>();
    private boolean stacked;

    private Builder(String title, String x, String y) {
      this.title = title;
      this.x = x;
      this.y = y;
    }

    /** Adds a value; one that is no number is left out. */
    Builder add(String line, String label, double value) {
      if (Double.isFinite(value)) {
        lines.computeIfAbsent(line, name -> new LinkedHashMap<>()).put(label, value);
      }
      return this;
    }

    /** Adds a whole line: as many values as labels. */
    Builder line(String line, List<String> labels, double... values) {
      if (labels.size() != values.length) {
        throw new IllegalArgumentException(
            title + ", " + line + ": " + values.length + " values of " + labels.size() + " labels");
      }
      for (int i = 0; i < values.length; i++) {
        add(line, labels.get(i), values[i]);
      }
      return this;
    }

    /** Has lines that are parts of a whole. */
    Builder stacked(boolean isStacked) {
      stacked = isStacked;
      return this;
    }

    Panel build() {
      return new Panel(title, x, y, lines, stacked);
    }
  }

  /** An empty one. */
  static Builder of(String title, String x, String y) {
    return new Builder(title, x, y);
  }

  /** The same with another one's values behind its own; of a place that both have, the other's. */
  Panel with(Panel other) {
    Builder both = of(title, x, y).stacked(stacked);
    for (Panel each : List.of(this, other)) {
      each.lines.forEach(
          (line, values) -> values.forEach((label, value) -> both.add(line, label, value)));
    }
    return both.build();
  }

  /** A value; NaN where there is none. */
  double at(String line, String label) {
    return lines.getOrDefault(line, Map.of()).getOrDefault(label, Double.NaN);
  }

  /** All labels of what varies. */
  List<String> labels() {
    Set<String> labels = new LinkedHashSet<>();
    lines.values().forEach(values -> labels.addAll(values.keySet()));
    return List.copyOf(labels);
  }

  /** A row for each label, a column for each line. */
  Grid grid() {
    List<String> head = new ArrayList<>(List.of(x));
    head.addAll(lines.keySet());
    List<List<String>> rows = new ArrayList<>();
    for (String label : labels()) {
      List<String> row = new ArrayList<>(List.of(label));
      lines.keySet().forEach(line -> row.add(cell(at(line, label))));
      rows.add(row);
    }
    return new Grid(head, rows);
  }

  /** Three digits or so, whatever the unit. */
  static String cell(double value) {
    if (Double.isNaN(value)) {
      return NONE;
    }
    double size = Math.abs(value);
    return Grid.cell(size >= HUNDRED ? "%.0f" : size >= TEN ? "%.1f" : "%.4f", value);
  }

  /** A chart of all lines. */
  Drawing chart() {
    List<String> labels = labels();
    Map<String, List<Double>> points = new LinkedHashMap<>();
    lines
        .keySet()
        .forEach(line -> points.put(line, labels.stream().map(label -> at(line, label)).toList()));
    return stacked
        ? new SvgStack(title, x, y, labels, points)
        : new SvgChart(title, x, y, labels, points);
  }

  /** For JSON. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("title", title);
    fields.put("x", x);
    fields.put("y", y);
    fields.put("lines", lines);
    if (stacked) {
      fields.put(STACKED, true);
    }
    return fields;
  }

  /**
   * Reads what {@link #fields} gave.
   *
   * @throws ClassCastException if it is something else
   */
  static Panel ofFields(Map<?, ?> fields) {
    Builder panel = of(Json.text(fields, "title"), Json.text(fields, "x"), Json.text(fields, "y"));
    Json.object(fields, "lines")
        .forEach(
            (line, values) ->
                ((Map<?, ?>) values)
                    .forEach(
                        (label, value) ->
                            panel.add(
                                (String) line, (String) label, ((Number) value).doubleValue())));
    return panel.stacked(Boolean.TRUE.equals(fields.get(STACKED))).build();
  }
}
