// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.papers.FlashAdmission.Filter;
import io.rdio.bench.papers.FlashAdmission.Outcome;
import io.rdio.bench.simulator.Trace;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FlashAdmissionTest {
  private static final int OBJECTS = 10_000;
  private static final int CAPACITY = 1000;

  private static Outcome replay(LongStream ids, Filter filter) {
    return FlashAdmission.replay(Trace.of("trace", ids.toArray()), CAPACITY, 0.1, filter);
  }

  @Test
  void objectsThatComeOnceAreWrittenByAllButTheSmallQueue() {
    assertThat(replay(LongStream.range(0, OBJECTS), Filter.NONE)).isEqualTo(new Outcome(1, 1));
    assertThat(replay(LongStream.range(0, OBJECTS), Filter.SMALL_QUEUE))
        .isEqualTo(new Outcome(1, 0));
    Outcome byChance = replay(LongStream.range(0, OBJECTS), Filter.PROBABILISTIC);
    assertThat(byChance.missRatio()).isEqualTo(1);
    assertThat(byChance.writeRatio()).isCloseTo(0.2, within(0.02));
  }

  @Test
  void whatIsHitTwiceInMemoryIsWrittenOnceAndStays() {
    // The object, twice more, others until it has left memory, and once more.
    LongStream ids =
        LongStream.concat(
            LongStream.of(0, 0, 0), LongStream.concat(LongStream.range(1, 200), LongStream.of(0)));
    Outcome outcome = replay(ids, Filter.SMALL_QUEUE);
    assertThat(outcome.writeRatio()).isEqualTo(1.0 / 200);
    assertThat(outcome.missRatio()).isEqualTo(200.0 / 203);
  }

  @Test
  void whatComesAgainFromTheGhostQueueIsWritten() {
    LongStream ids = LongStream.concat(LongStream.range(0, 200), LongStream.of(0, 0));
    Outcome outcome = replay(ids, Filter.SMALL_QUEUE);
    assertThat(outcome.writeRatio()).isEqualTo(1.0 / 200);
    assertThat(outcome.missRatio()).isEqualTo(201.0 / 202);
  }

  @Test
  void flashHoldsNoMoreThanItsShare() {
    // Twice over more than fits: FIFO has none of them when it comes again.
    LongStream ids = LongStream.range(0, 2L * OBJECTS).map(i -> i % OBJECTS);
    assertThat(replay(ids, Filter.NONE)).isEqualTo(new Outcome(1, 2));
  }
}
