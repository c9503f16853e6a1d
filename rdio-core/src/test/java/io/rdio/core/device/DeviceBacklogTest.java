// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class DeviceBacklogTest {
  private static final int READ = 1 << 20;
  private static final int WEIGHT = READ + DeviceBacklog.OVERHEAD;

  private final DeviceBacklog backlog = new DeviceBacklog();

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
  void whatIsLeftOutIsWaitedForByNobody() {
    read(1_000_000);
    backlog.begin(READ);
    backlog.add(-DeviceBacklog.weight(READ));
    assertThat(backlog.underWay()).isZero();
    assertThat(backlog.nanosOf(READ)).isEqualTo(1_000_000, within(1.0));
    backlog.add(DeviceBacklog.weight(READ));
    assertThat(backlog.nanosOf(READ)).isEqualTo(2_000_000, within(1.0));
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
