// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.read;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A figure that is to be reached.
 *
 * @param atLeast whether more is better
 * @param value what was measured; NaN if it was not
 */
record Target(String what, boolean atLeast, double bound, double value) {
  static Target atLeast(String what, double bound, double value) {
    return new Target(what, true, bound, value);
  }

  static Target atMost(String what, double bound, double value) {
    return new Target(what, false, bound, value);
  }

  /** {@code reached}, {@code missed} or {@code not measured}. */
  String verdict() {
    if (Double.isNaN(value)) {
      return "not measured";
    }
    return (atLeast ? value >= bound : value <= bound) ? "reached" : "missed";
  }

  /** The bound in words. */
  String boundText() {
    return (atLeast ? "≥ " : "≤ ") + number(bound);
  }

  /** The value in words. */
  String valueText() {
    return Double.isNaN(value) ? "–" : number(value);
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, Math.abs(number) < 0.1 ? "%.4f" : "%.2f", number);
  }

  /** For JSON. */
  Map<String, Object> fields() {
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
