// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class DeviceBacklogTest {
  private static final int READ = 1 << 20;
  private static final int WEIGHT = READ + DeviceBacklog.OVERHEAD;

  private long now = -7;
  private final DeviceBacklog backlog = new DeviceBacklog(() -> now);

  private void read(long nanos) {
    backlog.ended(READ, backlog.begin(READ), nanos);
  }

  @Test
  void nothingIsKnownBeforeAReadHasEnded() {
    assertThat(backlog.nanosOf(READ)).isZero();
    backlog.begin(READ);
    assertThat(backlog.nanosOf(READ)).isZero();
    assertThat(backlog.underWay()).isEqualTo(WEIGHT);
  }

  @Test
  void aReadThatFailedTeachesNothing() {
    backlog.begin(READ);
    backlog.end(READ);
    assertThat(backlog.nanosOf(READ)).isZero();
    assertThat(backlog.underWay()).isZero();
  }

  @Test
  void aReadWaitsForAllThatIsUnderWay() {
    read(1_000_000);
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(1.0));
    backlog.begin(READ);
    backlog.begin(READ);
    assertThat(backlog.nanosOf(READ)).isEqualTo(3_000_000, within(1.0));
  }

  @Test
  void aReadThatEndedNobodyKnowsWhenTellsOnlyOfAFasterDevice() {
    backlog.endedWithin(READ, backlog.begin(READ), 1_000);
    assertThat(backlog.nanosOf(READ)).as("still unknown").isZero();
    read(1_000_000);
    backlog.endedWithin(READ, backlog.begin(READ), 1_000_000_000);
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(1.0));
    for (int i = 0; i < 200; i++) {
      backlog.endedWithin(READ, backlog.begin(READ), 500_000);
    }
    assertThat(backlog.nanosOf(READ)).isEqualTo(500_000, within(1000.0));
    assertThat(backlog.underWay()).isZero();
  }

  @Test
  void whatRestsAndIsOldIsLeftOut() {
    read(1_000_000);
    long began = backlog.begin(READ);
    assertThat(backlog.isFresh(began, 1_900_000)).isTrue();
    assertThat(backlog.isFresh(began, 2_100_000)).isFalse();
    long until = backlog.rest(WEIGHT, 0, now);
    assertThat(backlog.underWay()).isZero();
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(1.0));
    backlog.resume(WEIGHT, 0, until, now);
    assertThat(backlog.nanosOf(READ)).isEqualTo(2_000_000, within(1.0));
  }

  /** The device is at it, whoever looks or not; but not for as long as its reader thinks. */
  @Test
  void whatRestsAndHasJustBegunCountsForAsLongAsItTakes() {
    read(1_000_000);
    backlog.begin(READ);
    backlog.begin(READ);
    backlog.rest(2 * WEIGHT, 2 * WEIGHT, now);
    assertThat(backlog.underWay()).isZero();
    assertThat(backlog.nanosOf(READ)).isEqualTo(3_000_000, within(2.0));
    now += 500_000;
    assertThat(backlog.nanosOf(READ)).isEqualTo(2_500_000, within(2.0));
    now += 10_000_000;
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(2.0));
  }

  @Test
  void restsAndResumesDoNotAddUp() {
    read(1_000_000);
    backlog.begin(READ);
    for (int i = 0; i < 100; i++) {
      long until = backlog.rest(WEIGHT, WEIGHT, now);
      now += 1_000;
      assertThat(backlog.nanosOf(READ)).isBetween(1_990_000.0, 2_000_001.0);
      backlog.resume(WEIGHT, WEIGHT, until, now);
      assertThat(backlog.nanosOf(READ)).isEqualTo(2_000_000, within(2.0));
    }
  }

  /** What is resumed late has nothing left to take back of what others have resting. */
  @Test
  void whatRestsOfOneRunIsNotThatOfAnother() {
    read(1_000_000);
    backlog.begin(READ);
    backlog.begin(READ);
    long first = backlog.rest(WEIGHT, WEIGHT, now);
    now += 5_000_000;
    backlog.rest(WEIGHT, WEIGHT, now);
    backlog.resume(WEIGHT, WEIGHT, first, now);
    assertThat(backlog.nanosOf(READ)).isEqualTo(3_000_000, within(2.0));
  }

  @Test
  void whatRestsOnADeviceOfWhichNothingIsKnownDoesNotCount() {
    long began = backlog.begin(READ);
    assertThat(backlog.isFresh(began, 0)).isFalse();
    backlog.rest(WEIGHT, WEIGHT, now);
    assertThat(backlog.nanosOf(READ)).isZero();
  }

  @Test
  void whatWaitedForOthersSaysNoWorseOfTheDevice() {
    long first = backlog.begin(READ);
    long second = backlog.begin(READ);
    backlog.ended(READ, first, 1_000_000);
    backlog.ended(READ, second, 2_000_000);
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(1.0));
  }

  @Test
  void aSmallReadWeighsMoreThanItsBytes() {
    read(1_000_000);
    double small = backlog.nanosOf(4096);
    assertThat(small).isGreaterThan(1_000_000.0 * DeviceBacklog.OVERHEAD / WEIGHT);
    assertThat(small).isLessThan(100_000);
  }

  @Test
  void onePauseIsNoTrendAndManyAre() {
    read(1_000_000);
    read(1_000_000_000);
    assertThat(backlog.nanosOf(READ)).isLessThan(2_000_000);
    for (int i = 0; i < 200; i++) {
      read(10_000_000);
    }
    assertThat(backlog.nanosOf(READ)).isEqualTo(10_000_000, within(100_000.0));
  }
}
