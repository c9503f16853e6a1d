// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.FlashAdmission.Filter;
import io.rdio.bench.papers.FlashAdmission.Outcome;
import io.rdio.bench.papers.MissRatios.Size;
import io.rdio.bench.simulator.Trace;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Misses and flash writes by what is admitted to flash: S3-FIFO paper, figure 9. */
final class FlashWrites implements Part {
  static final String MISSES = "miss ratio, mean of all traces";
  static final String WRITES = "writes of objects to flash for each different object, mean";
  static final String ALL = "FIFO, no admission";
  static final String PROBABILISTIC = "probabilistic, 20%";
  static final String FLASHIELD = "Flashield";
  static final String SMALL_QUEUE = "S3-FIFO's small queue";
  static final String MAIN_QUEUE = "S3-FIFO's small queue, flash its main queue";

  /** Memory's shares of the cache. */
  static final List<String> SHARES = List.of("0.1%", "1%", "10%");

  private static final Map<String, Filter> FILTERS = new LinkedHashMap<>();

  static {
    FILTERS.put(ALL, Filter.NONE);
    FILTERS.put(PROBABILISTIC, Filter.PROBABILISTIC);
    FILTERS.put(FLASHIELD, Filter.FLASHIELD);
    FILTERS.put(SMALL_QUEUE, Filter.SMALL_QUEUE);
    FILTERS.put(MAIN_QUEUE, Filter.SMALL_AND_MAIN_QUEUE);
  }

  private static final Size LARGE = MissRatios.SIZES.get(0);
  private static final int LEAST_CAPACITY = 1000;
  private static final int PERCENT = 100;
  private static final Duration BOUND = Duration.ofMinutes(1);
  private static final Duration QUICK_BOUND = Duration.ofSeconds(10);

  @Override
  public String name() {
    return "flash-writes";
  }

  @Override
  public String runs(boolean quick) {
    return "simulation of a cache of "
        + LARGE.label()
        + " in memory and flash, by what is admitted to flash, on all traces that have "
        + (int) (LEAST_CAPACITY / LARGE.share())
        + " objects and more"
        + (quick ? ", shorter made ones" : "");
  }

  @Override
  public Duration bound(boolean quick) {
    return quick ? QUICK_BOUND : BOUND;
  }

  @Override
  public boolean needsRoot() {
    return false;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    FlashOutcomes outcomes = new FlashOutcomes();
    PaperTraces.forEach(
        terms,
        (group, trace) -> {
          if (LARGE.capacity(trace) >= LEAST_CAPACITY) {
            replay(terms, trace, outcomes);
          }
        });
    return new Measured(List.of(outcomes.misses(MISSES), outcomes.writes(WRITES)));
  }

  private static void replay(Terms terms, Trace trace, FlashOutcomes outcomes) throws IOException {
    for (Map.Entry<String, Filter> line : FILTERS.entrySet()) {
      Outcome outcome = null;
      for (String share : SHARES) {
        if (outcome == null || line.getValue() != Filter.NONE) { // which has no memory to share
          terms.deadline().check();
          double memory = Double.parseDouble(share.replace("%", "")) / PERCENT;
          outcome = FlashAdmission.replay(trace, LARGE.capacity(trace), memory, line.getValue());
        }
        outcomes.add(line.getKey(), share, outcome);
      }
    }
  }
}
