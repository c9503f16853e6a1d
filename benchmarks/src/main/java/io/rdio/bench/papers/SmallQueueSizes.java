// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import io.rdio.bench.papers.MissRatios.Size;
import io.rdio.bench.simulator.Policies;
import io.rdio.bench.simulator.Trace;
import io.rdio.s3fifo.policy.S3FifoOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * S3-FIFO with small queues of other sizes, and without its ghost queue: S3-FIFO paper, figure 11
 * and table 2.
 */
final class SmallQueueSizes implements Part {
  static final List<String> SHARES =
      List.of(
          "0.01", "0.05", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60", "0.70", "0.80", "0.90");

  /** Lines of the panel of means. */
  static final String GHOST = "with the ghost queue";

  static final String NO_GHOST = "without";

  private static final double GHOST_RATIO = 0.9;
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration QUICK_BOUND = Duration.ofSeconds(40);

  /** Title of the panel of statistics over all traces. */
  static String spread(Size size) {
    return "by the small queue's share, cache of " + size.label();
  }

  /** Title of the panel of means, with the ghost queue and without. */
  static String ghosts(Size size) {
    return "with and without the ghost queue, cache of " + size.label();
  }

  @Override
  public String name() {
    return "small-queue-sizes";
  }

  @Override
  public String runs(boolean quick) {
    return "simulation of S3-FIFO with small queues of "
        + String.join(", ", SHARES)
        + " of the cache, with and without the ghost queue, on all traces but those "
        + PaperTraces.AGAINST
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
    Map<Size, Map<String, List<Double>>> with = new LinkedHashMap<>();
    Map<Size, Map<String, List<Double>>> without = new LinkedHashMap<>();
    PaperTraces.forEach(
        terms,
        (group, trace) -> {
          if (group.equals(PaperTraces.AGAINST)) {
            return;
          }
          for (Size size : MissRatios.SIZES) {
            add(terms, size, trace, GHOST_RATIO, with);
            add(terms, size, trace, 0, without);
          }
        });
    List<Panel> panels = new ArrayList<>();
    for (Size size : MissRatios.SIZES) {
      panels.add(spread(size, with.getOrDefault(size, Map.of())));
      panels.add(
          ghosts(size, with.getOrDefault(size, Map.of()), without.getOrDefault(size, Map.of())));
    }
    return new Measured(panels);
  }

  private static void add(
      Terms terms, Size size, Trace trace, double ghost, Map<Size, Map<String, List<Double>>> to)
      throws IOException {
    int capacity = size.capacity(trace);
    if (capacity < MissRatios.LEAST_CAPACITY) {
      return;
    }
    double fifo = trace.misses(Policies.create("FIFO", capacity, trace));
    for (String share : SHARES) {
      terms.deadline().check();
      S3FifoOptions options = new S3FifoOptions(Double.parseDouble(share), ghost, false);
      double misses = trace.misses(Policies.s3Fifo(capacity, trace, options));
      to.computeIfAbsent(size, key -> new LinkedHashMap<>())
          .computeIfAbsent(share, key -> new ArrayList<>())
          .add(MissRatios.reduction(fifo, misses));
    }
  }

  private static Panel spread(Size size, Map<String, List<Double>> byShare) {
    Panel.Builder byStatistic =
        Panel.of(spread(size), "small queue's share", "miss ratio reduction from FIFO");
    byShare.forEach(
        (share, values) ->
            Statistics.of(values).forEach((name, value) -> byStatistic.add(name, share, value)));
    return byStatistic.build();
  }

  private static Panel ghosts(
      Size size, Map<String, List<Double>> with, Map<String, List<Double>> without) {
    Panel.Builder means =
        Panel.of(ghosts(size), "small queue's share", "mean miss ratio reduction from FIFO");
    with.forEach((share, values) -> means.add(GHOST, share, Statistics.mean(values)));
    without.forEach((share, values) -> means.add(NO_GHOST, share, Statistics.mean(values)));
    return means.build();
  }
}
