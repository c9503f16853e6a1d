// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.FlashAdmission.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What came of traces, by line and by memory's share of the cache. For one thread. */
final class FlashOutcomes {
  private static final String SHARE = "memory, of the cache";

  private final Map<String, Map<String, List<Outcome>>> outcomes = new LinkedHashMap<>();

  /** Adds what came of the next trace. */
  void add(String line, String share, Outcome outcome) {
    outcomes
        .computeIfAbsent(line, key -> new LinkedHashMap<>())
        .computeIfAbsent(share, key -> new ArrayList<>())
        .add(outcome);
  }

  /** The miss ratios, as means of all traces. */
  Panel misses(String title) {
    return means(Panel.of(title, SHARE, "miss ratio"), Outcome::missRatio);
  }

  /** The writes for each different object of a trace, as means of all traces. */
  Panel writes(String title) {
    return means(Panel.of(title, SHARE, "objects"), Outcome::writeRatio);
  }

  private Panel means(Panel.Builder panel, ToDoubleFunction<Outcome> figure) {
    outcomes.forEach(
        (line, byShare) ->
            byShare.forEach(
                (share, all) ->
                    panel.add(
                        line,
                        share,
                        all.stream().mapToDouble(figure).average().orElse(Double.NaN))));
    return panel.build();
  }
}
