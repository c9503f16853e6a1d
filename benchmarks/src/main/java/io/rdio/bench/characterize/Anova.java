// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.characterize;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.math3.distribution.FDistribution;

/**
 * Analysis of variance of a balanced full factorial design: main effects, interactions of two
 * factors, those of more together, and what repeats differ.
 */
final class Anova {
  static final String HIGHER = "interactions of three and more";
  static final String ERROR = "repeats";

  /**
   * One measurement.
   *
   * @param levels of all factors, by factor
   */
  record Observation(Map<String, String> levels, double value) {
    Observation {
      levels = Map.copyOf(levels);
    }

    /** The level of a factor. */
    String level(String factor) {
      return levels.getOrDefault(factor, "");
    }

    /** The levels of some factors. */
    private List<String> of(List<String> factors) {
      return factors.stream().map(this::level).toList();
    }
  }

  /**
   * What a source adds to the variance.
   *
   * @param degrees of freedom
   * @param squares sum of squares
   * @param etaSquared share of the total sum of squares
   * @param f its mean square, divided by that of repeats; NaN where that is not to be had
   * @param p probability of such an F, or a larger one, without an effect; NaN likewise
   */
  record Effect(
      String source, long degrees, double squares, double etaSquared, double f, double p) {}

  private final List<String> factors;
  private final List<Observation> observations;
  private final double mean;
  private final double total;

  private Anova(List<String> factors, List<Observation> observations) {
    this.factors = factors;
    this.observations = observations;
    this.mean = mean(observations);
    this.total = observations.stream().mapToDouble(one -> square(one.value() - mean)).sum();
  }

  /**
   * Analyses.
   *
   * @param factors those with more than one level, one at least
   * @return an effect for each source, the largest first, then higher interactions and repeats
   * @throws IllegalArgumentException if not all combinations of levels were measured equally often,
   *     twice at least
   */
  static List<Effect> of(List<String> factors, List<Observation> observations) {
    requireBalance(factors, observations);
    return new Anova(List.copyOf(factors), List.copyOf(observations)).effects();
  }

  private static void requireBalance(List<String> factors, List<Observation> observations) {
    Map<List<String>, Long> cells =
        observations.stream()
            .collect(Collectors.groupingBy(one -> one.of(factors), Collectors.counting()));
    long combinations = 1;
    for (String factor : factors) {
      combinations *= levels(factor, observations);
    }
    Set<Long> counts = new LinkedHashSet<>(cells.values());
    if (cells.size() != combinations || counts.size() != 1 || counts.contains(1L)) {
      throw new IllegalArgumentException(
          "an analysis of variance needs each of "
              + combinations
              + " combinations equally often, twice at least; there are "
              + cells.size()
              + ", "
              + counts
              + " times");
    }
  }

  private static long levels(String factor, List<Observation> observations) {
    return observations.stream().map(one -> one.level(factor)).distinct().count();
  }

  private List<Effect> effects() {
    double within = within();
    long cells = observations.stream().map(one -> one.of(factors)).distinct().count();
    long errorDegrees = observations.size() - cells;
    double errorSquare = within / errorDegrees;
    List<Effect> effects = new ArrayList<>();
    double explained = 0;
    long degreesLeft = cells - 1;
    for (List<String> source : sources()) {
      double squares = squares(source);
      long degrees = 1;
      for (String factor : source) {
        degrees *= levels(factor, observations) - 1;
      }
      explained += squares;
      degreesLeft -= degrees;
      effects.add(effect(String.join(" × ", source), degrees, squares, errorSquare, errorDegrees));
    }
    effects.sort((a, b) -> Double.compare(b.etaSquared(), a.etaSquared()));
    if (degreesLeft > 0) {
      double higher = Math.max(0, total - within - explained);
      effects.add(effect(HIGHER, degreesLeft, higher, errorSquare, errorDegrees));
    }
    effects.add(new Effect(ERROR, errorDegrees, within, share(within), Double.NaN, Double.NaN));
    return effects;
  }

  /** Each factor, and each pair of factors. */
  private List<List<String>> sources() {
    List<List<String>> sources = new ArrayList<>();
    factors.forEach(factor -> sources.add(List.of(factor)));
    for (int i = 0; i < factors.size(); i++) {
      for (int j = i + 1; j < factors.size(); j++) {
        sources.add(List.of(factors.get(i), factors.get(j)));
      }
    }
    return sources;
  }

  private Effect effect(
      String source, long degrees, double squares, double errorSquare, long errorDegrees) {
    double f = squares / degrees / errorSquare;
    double p =
        Double.isFinite(f)
            ? 1 - new FDistribution(null, degrees, errorDegrees).cumulativeProbability(f)
            : Double.NaN;
    return new Effect(source, degrees, squares, share(squares), f, p);
  }

  private double share(double squares) {
    return total == 0 ? 0 : squares / total;
  }

  /** Of a factor; or of the interaction of two, without those of each. */
  private double squares(List<String> source) {
    double squares = between(source);
    if (source.size() > 1) {
      for (String factor : source) {
        squares -= between(List.of(factor));
      }
    }
    return Math.max(0, squares);
  }

  /** How far the means of groups are from the whole mean, for each observation. */
  private double between(List<String> by) {
    return observations.stream().collect(Collectors.groupingBy(one -> one.of(by))).values().stream()
        .mapToDouble(group -> group.size() * square(mean(group) - mean))
        .sum();
  }

  /** How far observations are from the mean of their combination. */
  private double within() {
    return Math.max(0, total - between(factors));
  }

  private static double mean(List<Observation> some) {
    return some.stream().mapToDouble(Observation::value).average().orElse(Double.NaN);
  }

  private static double square(double value) {
    return value * value;
  }
}
