// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A figure that is to be reached.
 *
 * @param atLeast whether more is better
 * @param value what was measured; NaN if it was not
 */
public record Target(String what, boolean atLeast, double bound, double value) {
  /** One that more is better of. */
  public static Target atLeast(String what, double bound, double value) {
    return new Target(what, true, bound, value);
  }

  /** One that less is better of. */
  public static Target atMost(String what, double bound, double value) {
    return new Target(what, false, bound, value);
  }

  /** {@code reached}, {@code missed} or {@code not measured}. */
  public String verdict() {
    if (Double.isNaN(value)) {
      return "not measured";
    }
    return (atLeast ? value >= bound : value <= bound) ? "reached" : "missed";
  }

  /** A table of them. */
  public static Grid grid(List<Target> targets) {
    List<List<String>> rows = new ArrayList<>();
    for (Target target : targets) {
      rows.add(List.of(target.what, target.boundText(), target.valueText(), target.verdict()));
    }
    return new Grid(List.of("", "target", "measured", ""), rows);
  }

  /** The bound in words. */
  public String boundText() {
    return (atLeast ? "≥ " : "≤ ") + number(bound);
  }

  /** The value in words. */
  public String valueText() {
    return Double.isNaN(value) ? "–" : number(value);
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, Math.abs(number) < 0.1 ? "%.4f" : "%.2f", number);
  }

  /** For JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("what", what);
    fields.put(atLeast ? "at_least" : "at_most", bound);
    if (!Double.isNaN(value)) {
      fields.put("value", value);
    }
    fields.put("verdict", verdict());
    return fields;
  }
}
