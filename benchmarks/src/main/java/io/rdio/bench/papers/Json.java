// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.List;
import java.util.Map;

/** Looks into JSON that commands left. */
final class Json {
  private Json() {}

  /** The list of that name, of objects; empty if there is none. */
  static List<Map<?, ?>> objects(Map<?, ?> object, String name) {
    return object.get(name) instanceof List<?> list
        ? list.stream().<Map<?, ?>>map(each -> (Map<?, ?>) each).toList()
        : List.of();
  }

  /** The object of that name; empty if there is none. */
  static Map<?, ?> object(Map<?, ?> object, String name) {
    return object.get(name) instanceof Map<?, ?> map ? map : Map.of();
  }

  /** The number of that name; NaN if there is none. */
  static double number(Map<?, ?> object, String name) {
    return object.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** The text of that name, whatever it is. */
  static String text(Map<?, ?> object, String name) {
    return String.valueOf(object.get(name));
  }

  /** The median of a figure of a way, as reports of clusters have it; NaN if there is none. */
  static double median(Map<?, ?> point, String way, String figure) {
    return number(object(object(object(point, "ways"), way), figure), "median");
  }
}
