// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Latencies;
import io.rdio.bench.client.Phase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/**
 * All measured passes, by what was measured and by way, in the order in which they were added.
 *
 * @param <K> what was measured
 */
public final class Passes<K> {
  /** The least share of bytes by its own way that makes a way's figures worth something. */
  private static final double SHARE_MIN = 0.99;

  private static final double NANOS_PER_MICRO = 1e3;

  private final Map<K, Map<Way, List<Pass>>> passes = new LinkedHashMap<>();
  private final Set<K> anyWay = new HashSet<>();

  /** Of this it does not matter which way the bytes took. */
  public void anyWay(K what) {
    anyWay.add(what);
  }

  /** Measures once. */
  @FunctionalInterface
  public interface Measurement {
    /** Does so by this way. */
    Pass by(Way way) throws IOException;
  }

  /**
   * Has all ways measured, one after the other. Another one begins each round, so that none always
   * comes behind the same one. What rounds before the first give is not kept: they warm up.
   */
  public void round(int round, K what, List<Way> ways, Measurement measurement) throws IOException {
    List<Way> inTurn = new ArrayList<>(ways);
    Collections.rotate(inTurn, -round);
    for (Way way : inTurn) {
      Pass pass = measurement.by(way);
      if (round > 0) {
        add(what, pass);
      }
    }
  }

  /** Adds the next round's pass. */
  public void add(K what, Pass pass) {
    passes
        .computeIfAbsent(what, key -> new EnumMap<>(Way.class))
        .computeIfAbsent(pass.way(), key -> new ArrayList<>())
        .add(pass);
  }

  /** What was measured. */
  public Set<K> keys() {
    return passes.keySet();
  }

  /** The ways by which it was measured. */
  public Set<Way> ways(K what) {
    return passes.getOrDefault(what, Map.of()).keySet();
  }

  /** The passes of all rounds; none if it was not measured by this way. */
  public List<Pass> of(K what, Way way) {
    return passes.getOrDefault(what, Map.of()).getOrDefault(way, List.of());
  }

  /** One figure over all rounds. */
  public Spread spread(K what, Way way, ToDoubleFunction<Pass> figure) {
    return Spread.of(of(what, way).stream().mapToDouble(figure).toArray());
  }

  /** The middle of one figure over all rounds. */
  public double median(K what, Way way, ToDoubleFunction<Pass> figure) {
    return spread(what, way, figure).median();
  }

  /** Time that this share of the reads of all rounds did not exceed, in microseconds. */
  public double micros(K what, Way way, double percentile) {
    return histogram(what, way).getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }

  /** The latencies of all rounds together. */
  public Histogram histogram(K what, Way way) {
    Histogram all = Latencies.histogram();
    of(what, way).forEach(pass -> all.add(pass.answer().histogram()));
    return all;
  }

  /** The phases that somebody timed of files in any round, in the order in which they come. */
  public Set<Phase> phases(K what, Way way) {
    Set<Phase> phases = EnumSet.noneOf(Phase.class);
    of(what, way).forEach(pass -> phases.addAll(pass.answer().phases().keySet()));
    return phases;
  }

  /** The latencies of all rounds, by way. */
  public Map<Way, Histogram> histograms(K what) {
    Map<Way, Histogram> byWay = new EnumMap<>(Way.class);
    ways(what).forEach(way -> byWay.put(way, histogram(what, way)));
    return byWay;
  }

  /** Share of a way's bytes, over all that was measured, that did come by it; NaN without any. */
  public double share(Way way) {
    List<Pass> all = of(way);
    return (double) all.stream().mapToLong(Pass::bytesByWay).sum()
        / all.stream().mapToLong(pass -> pass.answer().totals().bytes()).sum();
  }

  /** For each way, and each thing measured, that did not do what its name says: what it did. */
  public List<String> wrongWays() {
    List<String> wrong = new ArrayList<>();
    passes.forEach(
        (what, byWay) ->
            byWay.forEach(
                (way, list) -> {
                  long bytes =
                      list.stream().mapToLong(pass -> pass.answer().totals().bytes()).sum();
                  long byIt = list.stream().mapToLong(Pass::bytesByWay).sum();
                  if (byIt < SHARE_MIN * bytes && !anyWay.contains(what)) {
                    wrong.add(wrong(what, way, 100.0 * byIt / bytes, list));
                  }
                }));
    return wrong;
  }

  private String wrong(K what, Way way, double percent, List<Pass> list) {
    Map<String, Long> fallbacks = new TreeMap<>();
    list.forEach(
        pass ->
            pass.answer()
                .counters()
                .fallbacks()
                .forEach((reason, count) -> fallbacks.merge(reason, count, Long::sum)));
    return String.format(
        Locale.ROOT,
        "%s, %s: only %.1f %% of the bytes came by this way, not %.0f %%%s",
        way.label(),
        what,
        percent,
        100 * SHARE_MIN,
        fallbacks.isEmpty() ? "" : "; fallbacks: " + fallbacks);
  }

  private List<Pass> of(Way way) {
    return passes.values().stream()
        .flatMap(byWay -> byWay.getOrDefault(way, List.of()).stream())
        .toList();
  }
}
