// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.papers.QuickDemotion.Outcome;
import io.rdio.bench.simulator.Trace;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class QuickDemotionTest {
  private static final int CAPACITY = 100;
  private static final int SCANNED = 2000;
  private static final long FIRST_SCANNED = 1000;

  /** Objects that fill main, three times each, and then others. */
  private static QuickDemotion behindHot(LongStream others) {
    LongStream hot = LongStream.range(0, 3 * 90).map(i -> i % 90);
    return new QuickDemotion(Trace.of("trace", LongStream.concat(hot, others).toArray()));
  }

  /** The others come once. */
  private static QuickDemotion scan() {
    return behindHot(LongStream.range(FIRST_SCANNED, FIRST_SCANNED + SCANNED));
  }

  /** They come twice, the second time 51 requests behind the first one. */
  private static QuickDemotion twice() {
    return behindHot(
        LongStream.range(0, 2 * SCANNED)
            .map(i -> FIRST_SCANNED + (i % 2 == 0 ? i / 2 : Math.max(0, i / 2 - 25))));
  }

  @Test
  void scannedObjectsLeaveAsSoonAsTheyAreThroughTheSmallQueue() {
    assertThat(scan().lru(CAPACITY).age()).isEqualTo(CAPACITY);
    assertThat(scan().s3Fifo(CAPACITY, 0.1).age()).isCloseTo(10, within(0.01));
    assertThat(scan().s3Fifo(CAPACITY, 0.2).age()).isGreaterThan(15);
  }

  @Test
  void demotionOfWhatNeverComesAgainIsRight() {
    assertThat(scan().s3Fifo(CAPACITY, 0.1).precision()).isEqualTo(1);
    assertThat(scan().lru(CAPACITY).precision()).isEqualTo(1);
  }

  @Test
  void demotionOfWhatComesSoonIsWrong() {
    Outcome early = twice().s3Fifo(CAPACITY, 0.1);
    assertThat(early.age()).isLessThan(50);
    assertThat(early.precision()).isZero();
    assertThat(twice().lru(CAPACITY).precision()).isEqualTo(1);
  }
}
