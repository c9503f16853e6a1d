// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What was measured, by a part or for a figure. No two panels have the same title.
 *
 * @param elsewhere which other machine measured it, or which parts of it; empty for none
 */
record Measured(List<Panel> panels, String elsewhere) {
  Measured {
    panels = List.copyOf(panels);
  }

  /** Of the machine that the report names. */
  Measured(List<Panel> panels) {
    this(panels, "");
  }

  /** The same, but another machine measured it. */
  Measured from(String machine) {
    return new Measured(panels, machine);
  }

  /** The panel of that title. */
  Optional<Panel> panel(String title) {
    return panels.stream().filter(panel -> panel.title().equals(title)).findFirst();
  }

  /** For JSON. */
  List<Map<String, Object>> fields() {
    return panels.stream().map(Panel::fields).toList();
  }

  /**
   * Reads what {@link #fields} gave.
   *
   * @throws ClassCastException if it is something else
   */
  static Measured ofFields(List<?> fields) {
    return new Measured(fields.stream().map(panel -> Panel.ofFields((Map<?, ?>) panel)).toList());
  }
}
