// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PromiseTest {
  private static final double USUAL = 250_000;

  private final Promise promise = new Promise();

  @Test
  void singleReadsAreWeighedAgainstTheirLike() {
    promise.renew(300_000, 1);

    assertThat(promise.isKept(900_000, USUAL)).isFalse();
    assertThat(promise.isKept(900_000, USUAL)).isFalse();
    assertThat(promise.isKept(300_000, USUAL)).isTrue();
  }

  @Test
  void aFallToAFractionIsASignUnlessItIsMuchSlowerThanOtherReads() {
    promise.renew(4_000_000, 1);

    assertThat(promise.isKept(4_000_000, USUAL)).isFalse();
    assertThat(promise.isKept(800_000, USUAL)).isFalse();
    assertThat(promise.isKept(700_000, USUAL)).isTrue();
  }

  /** By chance the first single read behind a trial may be as fast as all are later. */
  @Test
  void aFastReadBehindATrialDoesNotHideThatAllAreFastNow() {
    promise.renew(2_700_000, 1);
    promise.isKept(430_000, USUAL);

    assertThat(promise.isKept(430_000, USUAL)).isTrue();
    assertThat(promise.isKept(430_000, USUAL)).isTrue();
  }

  /** Eight readers waited for each other in the trial; a single read waits for nobody. */
  @Test
  void thatASingleReadDoesNotWaitIsNoSign() {
    promise.renew(2_700_000, 8);
    promise.isKept(430_000, USUAL);

    assertThat(promise.isKept(430_000, USUAL)).isFalse();
  }

  @Test
  void withoutATrialASingleReadHasToBeFasterThanOthers() {
    assertThat(promise.isKept(400_000, USUAL)).isFalse();
    assertThat(promise.isKept(400_000, USUAL)).isFalse();
    assertThat(promise.isKept(100_000, USUAL)).isTrue();
  }
}
