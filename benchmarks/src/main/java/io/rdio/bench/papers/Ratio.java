// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.Map;

/**
 * One line of a panel in times of another one, as papers have many of their numbers.
 *
 * @param title of the panel that it makes; ratios of one title make one
 * @param panel whose lines they are
 * @param line that is divided
 * @param of what it is divided by
 */
record Ratio(String title, String panel, String line, String of) {
  private static final String TIMES = "times";

  /** Has a value wherever both lines have one and the quotient is a number. */
  Panel in(Panel measured) {
    Panel.Builder times = Panel.of(title, measured.x(), TIMES);
    Map<String, Double> values = measured.lines().getOrDefault(line, Map.of());
    values.forEach(
        (label, value) -> times.add(line + " : " + of, label, value / measured.at(of, label)));
    return times.build();
  }
}
