// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How fast runs are that may go by both ways, against those that go by the device alone. */
final class SharedRunRateTest {
  private static final int BLOCKS = 16;
  private static final long MILLI = 1_000_000;

  /** What a unit takes that comes by the device alone, and is copied. */
  private static final long COPY = MILLI / 10;

  private static double gain(SharedRunSimulation simulation, long deviceNanos) {
    long units = (long) BLOCKS * SharedRunSimulation.BLOCK;
    double alone = (double) (units * Math.max(deviceNanos, COPY));
    double gain = alone / (double) simulation.nanos(BLOCKS);
    assertThat(simulation.wrong()).isZero();
    assertThat(SharedRunSimulation.WINDOWS.lentBytes()).isZero();
    return gain;
  }

  private static double gain(long deviceNanos, long wayNanos) {
    return gain(new SharedRunSimulation(deviceNanos, wayNanos), deviceNanos);
  }

  @Test
  void twoWaysThatAreAsFastGiveNearlyTwiceAsMuch() {
    assertThat(gain(MILLI, MILLI)).isGreaterThan(1.5);
    assertThat(gain(10 * MILLI, 10 * MILLI)).isGreaterThan(1.6);
  }

  @Test
  void aSlowerWayAddsWhatItHas() {
    assertThat(gain(MILLI, 2 * MILLI)).isGreaterThan(1.25);
    assertThat(gain(MILLI, 3 * MILLI)).isGreaterThan(1.1);
  }

  @Test
  void aFasterWayDoesToo() {
    assertThat(gain(2 * MILLI, MILLI)).isGreaterThan(2);
  }

  @Test
  void eachBringsWhatItGives() {
    SharedRunSimulation simulation = new SharedRunSimulation(MILLI, 2 * MILLI);
    gain(simulation, MILLI);
    assertThat(simulation.share(BLOCKS)).isBetween(0.2, 1.0 / 3);
  }

  @Test
  void aWayThatIsMuchSlowerCostsNextToNothing() {
    assertThat(gain(MILLI, 20 * MILLI)).isGreaterThan(0.97);
    assertThat(gain(MILLI, 200 * MILLI)).isGreaterThan(0.97);
  }

  @Test
  void norDoesOneThatFails() {
    SharedRunSimulation simulation = new SharedRunSimulation(MILLI, MILLI);
    simulation.way.fails = true;
    assertThat(gain(simulation, MILLI)).isGreaterThan(0.97);
    assertThat(simulation.share(BLOCKS)).isZero();
  }

  @Test
  void norOneThatDoesNotAnswer() {
    SharedRunSimulation simulation = new SharedRunSimulation(MILLI, MILLI);
    simulation.way.isSilent = true;
    assertThat(gain(simulation, MILLI)).isGreaterThan(0.97);
    assertThat(simulation.share(BLOCKS)).isZero();
  }

  /** A processor that both would need, say. */
  @Test
  void whereBothAreNoFasterTheyAreSoonApartAgain() {
    SharedRunSimulation simulation = new SharedRunSimulation(MILLI / 100, MILLI);
    assertThat(gain(simulation, MILLI / 100)).isGreaterThan(0.97);
    assertThat(simulation.together.isOn()).isFalse();
  }

  @Test
  void aWayThatGrowsSilentInMidRunIsLeftAtOnce() {
    SharedRunSimulation simulation = new SharedRunSimulation(MILLI, MILLI);
    simulation.nanos(2);
    assertThat(simulation.together.isOn()).isTrue();
    simulation.way.isSilent = true;
    assertThat(gain(simulation, MILLI)).isGreaterThan(0.97);
  }
}
