// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.route.RoutedSimulation.Phase;
import io.rdio.client.route.RoutedSimulation.Setup;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A router against the better one of both ways in each of several phases. */
class RoutedPhasesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long PHASE = 8 * SECOND;
  private static final List<Phase> PHASES =
      List.of(
          new Phase("quiet", 1_000_000, 670_000),
          new Phase("device busy", 3_000_000, 670_000),
          new Phase("DataNode busy", 1_000_000, 2_010_000),
          new Phase("both busy", 3_000_000, 2_010_000));

  /** The mean of all phases; changes from one to the next are among what it costs. */
  private static double ratio(boolean balances, Setup setup, long seed) {
    Router router = Router.positional(new ClientCounters(), balances);
    long[] routed = RoutedSimulation.reads(RoutedSimulation.by(router), setup, PHASES, PHASE, seed);
    double sum = 0;
    for (int i = 0; i < routed.length; i++) {
      List<Phase> one = List.of(PHASES.get(i));
      double best = 0;
      for (Route route : Route.values()) {
        long[] fixed =
            RoutedSimulation.reads(RoutedSimulation.always(route), setup, one, PHASE, seed);
        best = Math.max(best, (double) fixed[0]);
      }
      sum += (double) routed[i] / best;
    }
    return sum / (double) routed.length;
  }

  @Property(tries = 8, seed = "20261128")
  void aSingleReaderHasNearlyTheBetterWay(@ForAll long seed) {
    assertThat(ratio(false, new Setup(1, 2, SECOND), seed)).isGreaterThan(0.9);
    assertThat(ratio(false, new Setup(1, 2, 0), seed)).isGreaterThan(0.9);
  }

  @Property(tries = 8, seed = "20261128")
  void severalReadersHaveNearlyTheBetterWay(@ForAll long seed) {
    assertThat(ratio(false, new Setup(4, 2, SECOND), seed)).isGreaterThan(0.85);
    assertThat(ratio(false, new Setup(4, 2, 0), seed)).isGreaterThan(0.85);
  }

  @Property(tries = 8, seed = "20261128")
  void aSingleReaderLosesNothingByBalance(@ForAll long seed) {
    assertThat(ratio(true, new Setup(1, 2, SECOND), seed)).isGreaterThan(0.9);
    assertThat(ratio(true, new Setup(1, 2, 0), seed)).isGreaterThan(0.9);
  }

  @Property(tries = 8, seed = "20261128")
  void manyReadersHaveMoreThanTheBetterWay(@ForAll long seed) {
    assertThat(ratio(true, new Setup(8, 2, SECOND), seed)).isGreaterThan(1.1);
    assertThat(ratio(true, new Setup(8, 2, 0), seed)).isGreaterThan(0.9);
  }
}
