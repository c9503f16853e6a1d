// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.route.RoutedSimulation.Cold;
import io.rdio.client.route.RoutedSimulation.Phase;
import io.rdio.client.route.RoutedSimulation.Setup;
import java.util.Collections;
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

  /** 4 KiB as measured on a disk, quiet and busy in turn. */
  private static final List<Phase> SMALL_READS =
      Collections.nCopies(
              6,
              List.of(new Phase("quiet", 62_000, 240_000), new Phase("busy", 2_700_000, 255_000)))
          .stream()
          .flatMap(List::stream)
          .toList();

  private static double ratio(boolean balances, Setup setup, long seed) {
    return ratio(balances, setup, PHASES, PHASE, seed);
  }

  /** The mean of all phases; changes from one to the next are among what it costs. */
  private static double ratio(
      boolean balances, Setup setup, List<Phase> phases, long length, long seed) {
    Router router = Router.positional(new NewReads(), new ClientCounters(), () -> 0, balances);
    long[] routed =
        RoutedSimulation.reads(RoutedSimulation.by(router), setup, phases, length, seed);
    double sum = 0;
    for (int i = 0; i < routed.length; i++) {
      List<Phase> one = List.of(phases.get(i));
      double best = 0;
      for (Route route : Route.values()) {
        long[] fixed =
            RoutedSimulation.reads(RoutedSimulation.always(route), setup.warm(), one, length, seed);
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

  /** A single read by a device that is free again takes much longer than many would. */
  @Property(tries = 8, seed = "20261129")
  void aColdSingleReadDoesNotHideThatTheDeviceIsFreeAgain(@ForAll long seed) {
    assertThat(smallReads(new Cold(0, 0, 240_000, 0), seed)).isGreaterThan(0.94);
  }

  /** The JVM has not read by a DataNode when it should: its first reads are the slowest of all. */
  @Property(tries = 8, seed = "20261129")
  void aDataNodeThatIsNewToTheJvmIsNotGivenUp(@ForAll long seed) {
    assertThat(smallReads(new Cold(500, 3_000_000, 240_000, 0), seed)).isGreaterThan(0.93);
  }

  /** Pauses of a young JVM are no change of the device, and trials for them would cost much. */
  @Property(tries = 8, seed = "20261129")
  void pausesOfAYoungJvmLeaveNoDebtForLater(@ForAll long seed) {
    assertThat(smallReads(new Cold(500, 3_000_000, 240_000, 2_000), seed)).isGreaterThan(0.92);
  }

  /** What its page cache has is fast, so single reads by it look good as often as not. */
  @Property(tries = 8, seed = "20261129")
  void aDataNodeThatIsOftenFastIsNotTriedForEver(@ForAll long seed) {
    List<Phase> phases = List.of(new Phase("misses", 250_000, 230_000, 5_000_000));
    assertThat(ratio(false, new Setup(1, 2, SECOND), phases, 60 * SECOND, seed))
        .isGreaterThan(0.93);
    assertThat(ratio(false, new Setup(4, 2, SECOND), phases, 60 * SECOND, seed))
        .isGreaterThan(0.93);
  }

  private static double smallReads(Cold cold, long seed) {
    Setup setup = new Setup(1, 2, SECOND, cold);
    return ratio(false, setup, SMALL_READS, 4 * SECOND, seed);
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
