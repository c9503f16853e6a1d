// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a write lease of 30 s is to be renewed and ended, by a clock near its overflow. */
final class LeaseTermTest {
  private static final long NOW = Long.MAX_VALUE - 5;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final LeaseTerm term = new LeaseTerm();

  private static long at(long seconds) {
    return NOW + seconds * SECOND;
  }

  @Test
  void isRenewedEarlyAndEndedBeforeItIsOver() {
    term.lastUntil(at(30), NOW);

    assertThat(term.untilRenewal(NOW)).isEqualTo(10 * SECOND);
    assertThat(term.untilRenewal(at(10))).isZero();
    assertThat(term.untilEnd(NOW)).isEqualTo(27 * SECOND);
    assertThat(term.untilEnd(at(28))).isNegative();
    assertThat(term.isOver(at(30) - 1)).isFalse();
    assertThat(term.isOver(at(30))).isTrue();
  }

  @Test
  void whereNobodyAnswersItIsAskedForAgainEarlierAndEarlier() {
    term.lastUntil(at(30), NOW);
    term.askAgain(at(12));
    assertThat(term.untilRenewal(at(12))).isEqualTo(6 * SECOND);
    term.askAgain(at(18));
    assertThat(term.untilRenewal(at(18))).isEqualTo(4 * SECOND);
    assertThat(term.untilEnd(at(18))).as("no longer than before").isEqualTo(9 * SECOND);

    term.askAgain(at(30));
    assertThat(term.untilRenewal(at(30))).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
  }

  @Test
  void renewedItLastsLonger() {
    term.lastUntil(at(30), NOW);
    term.lastUntil(at(40), at(10));

    assertThat(term.untilRenewal(at(10))).isEqualTo(10 * SECOND);
    assertThat(term.untilEnd(at(10))).isEqualTo(27 * SECOND);
    assertThat(term.isOver(at(39))).isFalse();
  }

  @Test
  void whatCameTooLateIsOver() {
    term.lastUntil(at(-1), NOW);

    assertThat(term.isOver(NOW)).isTrue();
    assertThat(term.untilEnd(NOW)).isNegative();
  }
}
