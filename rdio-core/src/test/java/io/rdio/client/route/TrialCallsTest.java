// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TrialCallsTest {
  private static final long USUAL = 10_000;
  private static final double PRICE = 1000;
  private static final int BETWEEN = 256;

  private final Signs signs = new Signs(new Allowance(80));
  private final TrialCalls calls = new TrialCalls(signs);

  /** By what a trial found, single reads that take as long as usual ones are good. */
  private void sign() {
    assertThat(signs.add(USUAL, USUAL, false)).isTrue();
  }

  private void answer() {
    signs.renew((double) (100 * USUAL), 1);
    calls.answered();
  }

  private void read(int reads) {
    for (int i = 0; i < reads; i++) {
      calls.read();
    }
  }

  @Test
  void firstTrialWaitsForNothing() {
    assertThat(calls.isAny(PRICE, 1)).isTrue();
  }

  @Test
  void othersThatNothingCallsForWaitForLong() {
    answer();
    read(BETWEEN - 1);
    assertThat(calls.isAny(PRICE, 1)).isFalse();
    read(1);
    assertThat(calls.isAny(PRICE, 1)).isTrue();
    assertThat(calls.isAny(PRICE, 2)).as("for each reader").isFalse();
    calls.answered();
    assertThat(calls.isAny(PRICE, 1)).isFalse();
  }

  @Test
  void untilWhatWasLostIsPaidFor() {
    answer();
    read(BETWEEN);
    calls.pays().lose(PRICE);
    assertThat(calls.isAny(PRICE, 1)).isFalse();
    calls.pays().forgive();
    assertThat(calls.isAny(PRICE, 1)).isTrue();
  }

  @Test
  void oneSignCallsForOneOnSomeCreditAndManyOnAny() {
    answer();
    sign();
    calls.pays().lose(3 * PRICE);
    assertThat(calls.isAny(PRICE, 1)).isTrue();
    calls.pays().lose(PRICE);
    assertThat(calls.isAny(PRICE, 1)).isFalse();
    sign();
    assertThat(calls.isAny(PRICE, 1)).isTrue();
  }

  @Test
  void trialsInVainWantMoreSignsOfTheSameRoute() {
    answer();
    calls.inVain();
    calls.pays().lose(10 * PRICE);
    sign();
    sign();
    assertThat(calls.isAny(PRICE, 1)).isFalse();
    calls.forget();
    assertThat(calls.isAny(PRICE, 1)).isTrue();
  }
}
