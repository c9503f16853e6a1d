// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.client.Phase;
import io.rdio.bench.hdfs.Sizes;
import java.util.List;
import java.util.Map;

/** What the time of objects goes to, phase by phase, from what commands left. */
final class PhasePanels {
  private PhasePanels() {}

  /**
   * Bars by object size, of medians of the rounds' means; empty where nothing was timed by phases.
   *
   * @param points each with {@code file_bytes}, and with the phases of ways
   * @param way as JSON has it
   */
  static Panel of(String title, List<Map<?, ?>> points, String way) {
    Panel.Builder panel = Panel.of(title, "object size", "mean µs of an object").stacked(true);
    for (Phase phase : Phase.values()) {
      for (Map<?, ?> point : points) {
        Map<?, ?> its = Json.object(Json.object(point, "ways"), way);
        Map<?, ?> spread = Json.object(Json.object(its, "phases_us"), phase.label());
        String size = Sizes.label((long) Json.number(point, "file_bytes"));
        panel.add(phase.label(), size, Json.number(spread, "median"));
      }
    }
    return panel.build();
  }
}
