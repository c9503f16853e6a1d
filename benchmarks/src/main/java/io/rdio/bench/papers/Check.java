// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.List;
import java.util.Locale;

/**
 * An ordering or a sign that is part of a figure's shape.
 *
 * @param says the ordering, in words
 * @param rule finds out whether it is there
 * @param known why it is not to be expected here; empty where it is
 */
record Check(String says, Rule rule, String known) {
  /** Looks at what was measured. */
  @FunctionalInterface
  interface Rule {
    /** What is not as it should be, with the values; empty if all is. */
    String wrong(Measured ours);
  }

  /** Where a value is. */
  record Place(String panel, String line, String label) {
    double in(Measured ours) {
      return ours.panel(panel).map(found -> found.at(line, label)).orElse(Double.NaN);
    }

    @Override
    public String toString() {
      return line + " at " + label + " (" + panel + ")";
    }
  }

  static Place at(String panel, String line, String label) {
    return new Place(panel, line, label);
  }

  /** One that is expected to hold. */
  static Check that(String says, Rule rule) {
    return new Check(says, rule, "");
  }

  /** The same, but not to be expected on this machine, for a reason that is told. */
  Check unlikelyHere(String reason) {
    return new Check(says, rule, reason);
  }

  /** Holds if {@code more} is at least {@code factor} times {@code less}; both measured. */
  static Rule atLeast(Place more, double factor, Place less) {
    return ours -> wrong(more, more.in(ours), less, factor * less.in(ours), factor);
  }

  private static String wrong(Place more, double value, Place less, double bound, double factor) {
    return value >= bound
        ? ""
        : String.format(
            Locale.ROOT,
            "%s is %s, not at least %s, %s × %s",
            more,
            Panel.cell(value),
            Panel.cell(bound),
            Panel.cell(factor),
            less);
  }

  /** Holds if {@code more} is not below {@code less} by more than {@code slack}. */
  static Rule notBelow(Place more, Place less, double slack) {
    return ours ->
        more.in(ours) >= less.in(ours) - slack
            ? ""
            : more
                + " is "
                + Panel.cell(more.in(ours))
                + ", below "
                + Panel.cell(less.in(ours))
                + " of "
                + less;
  }

  /** Holds if the value is at least {@code bound}. */
  static Rule atLeast(Place place, double bound) {
    return ours ->
        place.in(ours) >= bound
            ? ""
            : place + " is " + Panel.cell(place.in(ours)) + ", not at least " + Panel.cell(bound);
  }

  /** Holds if the value is at most {@code bound}. */
  static Rule atMost(Place place, double bound) {
    return ours ->
        place.in(ours) <= bound
            ? ""
            : place + " is " + Panel.cell(place.in(ours)) + ", not at most " + Panel.cell(bound);
  }

  /** Holds if a line never falls by more than {@code slack} from a label to the next. */
  static Rule rising(String panel, String line, List<String> labels, double slack) {
    return ours -> {
      for (int i = 1; i < labels.size(); i++) {
        String wrong =
            notBelow(at(panel, line, labels.get(i)), at(panel, line, labels.get(i - 1)), slack)
                .wrong(ours);
        if (!wrong.isEmpty()) {
          return wrong;
        }
      }
      return "";
    };
  }

  /** Holds if all do. */
  static Rule all(List<Rule> rules) {
    return ours -> {
      for (Rule rule : rules) {
        String wrong = rule.wrong(ours);
        if (!wrong.isEmpty()) {
          return wrong;
        }
      }
      return "";
    };
  }
}
