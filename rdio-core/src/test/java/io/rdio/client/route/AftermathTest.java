// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AftermathTest {
  private final Allowance first = new Allowance(1);
  private final Allowance second = new Allowance(1);
  private final Aftermath aftermath = new Aftermath(first);

  @Test
  void whatReadsLoseIsPaidForWhenTheyAreOver() {
    aftermath.begin(3, second);
    aftermath.took(150, 100);
    aftermath.took(250, 100);
    assertThat(aftermath.isOver()).isFalse();
    assertThat(second.isWithin(0)).isTrue();

    aftermath.took(100, 100);

    assertThat(aftermath.isOver()).isTrue();
    assertThat(second.isWithin(199)).isFalse();
    assertThat(second.isWithin(200)).isTrue();
    assertThat(first.isWithin(0)).isTrue();
  }

  @Test
  void whatTheyGainIsNoCredit() {
    aftermath.begin(1, second);
    aftermath.took(10, 100);
    second.lose(5);

    assertThat(second.isWithin(4)).isFalse();
  }

  @Test
  void onePauseCountsAsAFewReads() {
    aftermath.begin(1, second);
    aftermath.took(1_000_000, 100);

    assertThat(second.isWithin(700)).isTrue();
  }

  @Test
  void forgottenNothingIsPaidFor() {
    aftermath.begin(1, second);
    aftermath.forget();

    assertThat(aftermath.isOver()).isTrue();
    assertThat(second.isWithin(0)).isTrue();
  }
}
