// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdio.bench.papers.TierReplay.Outcome;
import io.rdio.bench.simulator.Trace;
import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.client.datacache.flash.MemoryFlashFile;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TierReplayTest {
  private static final int MEMORY = 64;
  private static final int OBJECTS = 3000;

  private static final int REGION = 512;

  private final MemoryFlashFile file = new MemoryFlashFile(FlashTier.MIN_BYTES);

  private Outcome replay(LongStream ids, Duration bound) throws IOException {
    Trace trace = Trace.of("trace", ids.toArray());
    return TierReplay.replay(trace, file, MEMORY, new Deadline(bound, () -> 0L));
  }

  /** Missed, missed again and cached, hit; so for each object before the next one. */
  private static LongStream thrice() {
    return LongStream.range(0, OBJECTS).flatMap(id -> LongStream.of(id, id, id));
  }

  @Test
  void whatComesOnceIsWrittenNowhere() throws IOException {
    assertThat(replay(LongStream.range(0, 2L * OBJECTS), Duration.ofDays(1)))
        .isEqualTo(new Outcome(1, 0, 0));
    assertThat(file.isClosed()).isTrue();
  }

  @Test
  void whatWasHitInMemoryIsWrittenAndComesBackFromTheFile() throws IOException {
    LongStream ids = LongStream.concat(thrice(), LongStream.range(0, OBJECTS));
    Outcome outcome = replay(ids, Duration.ofDays(1));
    assertThat(outcome.skipRatio()).isLessThan(0.2); // its thread may come late
    assertThat(outcome.missRatio()).as("two of four, and what was left out").isBetween(0.5, 0.56);
    assertThat(outcome.writeRatio())
        .as("whole regions, of which three may be in memory yet")
        .isBetween(1.0 * REGION / OBJECTS, 1.0);
  }

  @Test
  void aFileThatFailsMeasuresNothing() {
    file.fail(null, new IOException("no space"));
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> replay(thrice(), Duration.ofDays(1)))
        .withMessageContaining("the flash tier's file failed");
    assertThat(file.isClosed()).isTrue();
  }

  @Test
  void itEndsWhenItsTimeIsOver() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> replay(thrice(), Duration.ZERO))
        .withMessageContaining("not done within its bound of 0 s");
  }
}
