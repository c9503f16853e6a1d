// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ServerTurnsTest {
  private long nanos = 11;
  private final ServerTurns turns = new ServerTurns(() -> nanos);

  /** Of requests that take 100 ms each, 10 at a time: one ends each 10 ms. */
  @BeforeEach
  void learnThePace() {
    for (int i = 0; i < 500; i++) {
      turns.ended(TimeUnit.MILLISECONDS.toNanos(100), 10);
    }
  }

  @Test
  void turnsFollowOneAnotherAtThePaceOfPlaces() {
    assertThat(turns.nextMillis()).isBetween(9L, 10L);
    assertThat(turns.nextMillis()).isBetween(19L, 20L);
    assertThat(turns.nextMillis()).isBetween(29L, 30L);
  }

  @Test
  void turnsThatPassedAreForgotten() {
    for (int i = 0; i < 20; i++) {
      turns.nextMillis();
    }
    nanos += TimeUnit.MILLISECONDS.toNanos(195);
    assertThat(turns.nextMillis()).isBetween(13L, 15L);
    nanos += TimeUnit.SECONDS.toNanos(10);
    assertThat(turns.nextMillis()).isBetween(9L, 10L);
  }

  @Test
  void nobodyWaitsLongerThanFiveSeconds() {
    for (int i = 0; i < 10_000; i++) {
      assertThat(turns.nextMillis()).isLessThanOrEqualTo(5_000);
    }
    assertThat(turns.nextMillis()).isEqualTo(5_000);
  }
}
