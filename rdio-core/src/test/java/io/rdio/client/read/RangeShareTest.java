// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RangeShareTest {
  private static final int WINDOW = 1 << 20;
  private static final int AHEAD = 8 * WINDOW;

  private final RangeShare share = new RangeShare();

  /** The reader moves on by a byte in a nanosecond. */
  private void move(int windows) {
    for (int i = 0; i <= windows; i++) {
      share.cameTo((long) i * WINDOW, (long) i * WINDOW);
    }
  }

  private int windows(long unfilled, double nanosPerByte) {
    return share.windows(AHEAD, unfilled, nanosPerByte, WINDOW);
  }

  @Test
  void nobodyKnowsWhenTheReaderComesThatHasNotMoved() {
    move(0);
    assertThat(windows(0, 1)).isZero();
    assertThat(windows(0, 0)).isZero();
  }

  @Test
  void oneAloneFindsOutHowFastTheWayIs() {
    move(1);
    assertThat(windows(0, 0)).isEqualTo(1);
    assertThat(windows(1, 0)).isZero();
  }

  @Test
  void asMuchIsTakenOnAsWillBeHereInTime() {
    move(1);
    assertThat(windows(0, 2)).isEqualTo(3);
    assertThat(windows(2L * WINDOW, 2)).isEqualTo(1);
    assertThat(windows(0, 20)).isZero();
    assertThat(windows(20L * WINDOW, 2)).isZero();
  }

  @Test
  void butNoMoreThanTheOpeningIsLittleBeside() {
    move(1);
    assertThat(windows(0, 0.001)).isEqualTo(RangeShare.MOST_WINDOWS);
  }

  @Test
  void aPauseOfTheReaderIsNoPace() {
    move(9);
    share.cameTo(17L * WINDOW, 1000L * WINDOW);
    assertThat(windows(0, 6)).isEqualTo(1);
  }

  @Test
  void whatItTakesAtFirstHoldsForNoLongerThanThatIsAllThatIsKnown() {
    share.cameTo(0, 0);
    share.cameTo(WINDOW / 4, 4L * WINDOW); // a device that had nothing to do
    assertThat(windows(0, 16)).isPositive();
    share.cameTo(4L * WINDOW, 8L * WINDOW);
    assertThat(windows(0, 16)).isZero();
    assertThat(windows(0, 4)).isEqualTo(3);
  }

  @Test
  void whatAReaderLeavesOutIsNoPace() {
    move(9);
    share.goesElsewhere();
    share.cameTo(1000L * WINDOW, 10L * WINDOW);
    share.cameTo(1008L * WINDOW, 18L * WINDOW);
    assertThat(windows(0, 2)).isEqualTo(3);
  }

  /** A device that gives all that is under way at about the same time, say. */
  @Test
  void oneThatWaitsOnceInAWhileIsAsFastAsItIsOnTheWhole() {
    long now = 0;
    for (int i = 0; i < 128; i++) {
      share.cameTo((long) i * WINDOW, now);
      now += i % 8 == 7 ? 8L * WINDOW : 0;
    }
    assertThat(windows(0, 1.9)).isEqualTo(3);
  }

  @Test
  void aReaderThatGoesBackIsAsFastAsItWas() {
    move(9);
    share.cameTo(0, 1000L * WINDOW);
    assertThat(windows(0, 2)).isEqualTo(3);
    share.cameTo(8L * WINDOW, 1008L * WINDOW);
    assertThat(windows(0, 2)).isEqualTo(3);
  }
}
