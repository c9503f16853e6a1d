// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.simulator.Policies;
import io.rdio.bench.simulator.Trace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Miss ratios of eviction policies, and by how much they are below FIFO's, over all traces: S3-FIFO
 * paper, figures 6 and 7.
 */
final class MissRatios implements Part {
  /** Caches of 10% and of 0.1% of a trace's objects; the paper's large and small ones. */
  static final List<Size> SIZES = List.of(new Size("10%", 0.1), new Size("0.1%", 0.001));

  /** All but FIFO, which they are compared with. */
  static final List<String> POLICIES =
      List.of("S3-FIFO", "W-TinyLFU", "LIRS", "2Q", "ARC", "CLOCK", "LRU");

  private static final String FIFO = "FIFO";

  /** Of smaller caches nothing is worth simulating: a small queue has a single object or two. */
  static final int LEAST_CAPACITY = 20;

  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration QUICK_BOUND = Duration.ofSeconds(30);

  /**
   * A cache's size.
   *
   * @param share of a trace's objects
   */
  record Size(String label, double share) {
    int capacity(Trace trace) {
      return (int) (trace.objects() * share);
    }

    /** Title of the panel of statistics over all traces. */
    String spread() {
      return "over all traces, cache of " + label;
    }

    /** Title of the panel of means of groups of traces. */
    String byGroup() {
      return "by origin of traces, cache of " + label;
    }

    /** Title of the panel of each trace's miss ratios. */
    String byTrace() {
      return "miss ratios, cache of " + label;
    }
  }

  @Override
  public String name() {
    return "miss-ratios";
  }

  @Override
  public String runs(boolean quick) {
    return "simulation of FIFO and "
        + String.join(", ", POLICIES)
        + " on all traces"
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

  /**
   * By how much misses are fewer than FIFO's, as the paper counts it: of FIFO's, or, where they are
   * more, minus of their own, so that both ends are 1.
   */
  static double reduction(double fifo, double other) {
    return other <= fifo ? (fifo - other) / fifo : -(other - fifo) / other;
  }

  @Override
  public Measured run(Terms terms) throws IOException {
    List<Panel> panels = new ArrayList<>();
    List<Collected> bySize = SIZES.stream().map(Collected::new).toList();
    PaperTraces.forEach(
        terms,
        (group, trace) -> {
          for (Collected collected : bySize) {
            simulate(terms, trace, collected, group);
          }
        });
    bySize.forEach(collected -> panels.addAll(collected.panels()));
    return new Measured(panels);
  }

  private static void simulate(Terms terms, Trace trace, Collected to, String group)
      throws IOException {
    int capacity = to.size.capacity(trace);
    if (capacity < LEAST_CAPACITY) {
      return;
    }
    double fifo = missRatio(FIFO, capacity, trace);
    for (String policy : POLICIES) {
      terms.deadline().check();
      to.add(group, trace.name(), policy, fifo, missRatio(policy, capacity, trace));
    }
  }

  private static double missRatio(String policy, int capacity, Trace trace) {
    return (double) trace.misses(Policies.create(policy, capacity, trace)) / trace.length();
  }

  /** What was found for one size. */
  private static final class Collected {
    private final Size size;
    private final Panel.Builder ratios;
    private final Map<String, List<Double>> reductions = new LinkedHashMap<>();
    private final Map<String, Map<String, List<Double>>> byGroup = new LinkedHashMap<>();

    Collected(Size size) {
      this.size = size;
      this.ratios = Panel.of(size.byTrace(), "trace", "miss ratio");
    }

    void add(String group, String trace, String policy, double fifo, double missRatio) {
      ratios.add(FIFO, trace, fifo).add(policy, trace, missRatio);
      double reduction = reduction(fifo, missRatio);
      reductions.computeIfAbsent(policy, name -> new ArrayList<>()).add(reduction);
      byGroup
          .computeIfAbsent(policy, name -> new LinkedHashMap<>())
          .computeIfAbsent(group, name -> new ArrayList<>())
          .add(reduction);
    }

    List<Panel> panels() {
      Panel.Builder spread = Panel.of(size.spread(), "statistic", "miss ratio reduction from FIFO");
      reductions.forEach(
          (policy, values) ->
              Statistics.of(values).forEach((name, value) -> spread.add(policy, name, value)));
      Panel.Builder groups =
          Panel.of(size.byGroup(), "traces of", "mean miss ratio reduction from FIFO");
      byGroup.forEach(
          (policy, its) ->
              its.forEach((group, values) -> groups.add(policy, group, Statistics.mean(values))));
      return List.of(spread.build(), groups.build(), ratios.build());
    }
  }
}
