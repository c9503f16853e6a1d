// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.papers.FlashAdmission.Filter;
import io.rdio.bench.papers.FlashAdmission.Outcome;
import io.rdio.bench.simulator.Trace;
import java.util.SplittableRandom;
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

  @Test
  void whatIsHitInFlashMovesOnInTheMainQueueAndIsWrittenForIt() {
    long[] ids =
        LongStream.concat(
                LongStream.concat(thrice(0, 200), LongStream.of(0)), // which is in flash
                thrice(200, 1200)) // more than flash holds
            .toArray();
    Outcome fifo = replay(LongStream.of(ids), Filter.SMALL_QUEUE);
    Outcome main = replay(LongStream.of(ids), Filter.SMALL_AND_MAIN_QUEUE);
    assertThat(fifo.writeRatio()).isCloseTo(1100.0 / 1200, within(1e-9));
    assertThat(main.writeRatio()).isCloseTo(1101.0 / 1200, within(1e-9));
    assertThat(main.missRatio()).isEqualTo(fifo.missRatio());

    double requests = ids.length + 1;
    assertThat(
            replay(LongStream.concat(LongStream.of(ids), LongStream.of(0)), Filter.SMALL_QUEUE)
                .missRatio())
        .isCloseTo(1201 / requests, within(1e-9));
    assertThat(
            replay(
                    LongStream.concat(LongStream.of(ids), LongStream.of(0)),
                    Filter.SMALL_AND_MAIN_QUEUE)
                .missRatio())
        .isCloseTo(1200 / requests, within(1e-9));
  }

  /** Requests that have objects written to flash when they leave memory. */
  private static LongStream thrice(int from, int to) {
    return LongStream.range(from, to).flatMap(id -> LongStream.of(id, id, id));
  }

  @Test
  void flashieldWritesWhatItLearnsToBeHitAgain() {
    Flashield flashield = new Flashield(4, 6);
    SplittableRandom random = new SplittableRandom(1);
    for (int object = 0; object < 3; object++) {
      flashield.next();
      flashield.inserted(object);
      assertThat(flashield.admits(object)).as("nothing is learned yet").isTrue();
    }
    for (int i = 0; i < 3; i++) {
      flashield.next();
    }
    flashield.next(); // of the second part: only one of three objects is hit again
    flashield.hit(0, random);
    for (int i = 0; i < 6; i++) {
      flashield.next();
    }
    assertThat(flashield.admits(0)).isFalse();
    assertThat(flashield.admits(3)).as("never seen").isFalse();
  }

  @Test
  void flashieldAdmitsCountsOfWhichMostAreHitAgain() {
    Flashield flashield = new Flashield(3, 3);
    SplittableRandom random = new SplittableRandom(1);
    for (int object = 0; object < 3; object++) {
      flashield.next();
      flashield.inserted(object);
    }
    for (int object = 0; object < 2; object++) {
      flashield.next();
      flashield.hit(object, random);
    }
    for (int i = 0; i < 2; i++) {
      flashield.next();
    }
    assertThat(flashield.admits(2)).isTrue();
  }
}
