// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SignsTest {
  private static final long USUAL = 10_000;
  private static final long BAD = 100 * USUAL;

  private final Allowance pays = new Allowance(80);
  private final Signs signs = new Signs(pays);

  /** By what a trial found, single reads that take as long as usual ones are good. */
  SignsTest() {
    signs.renew(BAD, 1);
  }

  private void add(long nanos) {
    boolean good = signs.add(nanos, USUAL, false);
    assertThat(good).isEqualTo(nanos == USUAL);
  }

  @Test
  void firstTrialWaitsForNone() {
    assertThat(signs.isAny()).isTrue();
    assertThat(signs.areMany(0)).isTrue();
    assertThat(signs.areMany(1)).isFalse();
  }

  @Test
  void twoInARowAreMany() {
    signs.answered();
    assertThat(signs.isAny()).isFalse();
    add(USUAL);
    assertThat(signs.isAny()).isTrue();
    assertThat(signs.areMany(0)).isFalse();
    add(USUAL);
    assertThat(signs.areMany(0)).isTrue();
    add(BAD);
    assertThat(signs.isAny()).isFalse();
  }

  @Test
  void trialsInVainWantMoreAndAtMostEight() {
    signs.answered();
    for (int i = 1; i <= 8; i++) {
      add(USUAL);
      assertThat(signs.areMany(1)).isEqualTo(i >= 4);
      assertThat(signs.areMany(2)).isEqualTo(i >= 8);
      assertThat(signs.areMany(100)).isEqualTo(i >= 8);
    }
  }

  @Test
  void routeThatWorksAgainIsEnough() {
    signs.answered();
    signs.add(BAD, USUAL, true);
    assertThat(signs.areMany(100)).isTrue();
  }

  @Test
  void whatIsOwedIsPaidForFirst() {
    assertThat(signs.isDue()).isTrue();
    assertThat(signs.take(500)).isTrue();
    assertThat(signs.isDue()).isFalse();
    assertThat(signs.take(500)).isFalse();
    pays.earn(80L * 500);
    assertThat(signs.isDue()).isTrue();
  }

  @Test
  void oneSignIsConfirmedOnCreditByOneReader() {
    pays.lose(500);
    signs.confirm(true);
    assertThat(signs.isDue()).isTrue();
    assertThat(signs.take(500)).isTrue();
    assertThat(signs.isDue()).isFalse();
    assertThat(signs.take(500)).isFalse();
    assertThat(pays.isWithin(999)).isFalse();
    assertThat(pays.isWithin(1000)).isTrue();
  }

  @Test
  void confirmationCanBeTakenBack() {
    pays.lose(500);
    signs.confirm(true);
    signs.confirm(false);
    assertThat(signs.isDue()).isFalse();
  }
}
