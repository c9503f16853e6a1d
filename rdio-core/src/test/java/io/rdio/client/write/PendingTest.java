// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Patience;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is through, and who is waited for. */
@Timeout(60)
final class PendingTest {
  private final Pending pending = new Pending(0b101);

  /** Of one that comes and one that gives it up each knows who was first. */
  @Test
  void targetIsTakenOutOnce() {
    assertThat(pending.remove(0b110)).isEqualTo(0b100);
    assertThat(pending.remove(0b101)).isEqualTo(0b001);
    assertThat(pending.isEmpty()).isTrue();
    pending.add(5);
    assertThat(pending.isEmpty()).isFalse();
    assertThat(pending.remove(1L << 5)).isEqualTo(1L << 5);
  }

  @Test
  void othersAreNotWaitedFor() {
    assertThat(pending.await(0b010, Duration.ofSeconds(30).toNanos())).isZero();
  }

  @Test
  void waitIsOverWhenAllAreThrough() throws Exception {
    Thread other = new Thread(() -> pending.remove(0b001));
    other.start();
    assertThat(pending.await(0b011, Duration.ofSeconds(30).toNanos())).isZero();
    Patience.join(other);
  }

  @Test
  void waitHasABoundAndInterruptsAreKept() {
    Thread.currentThread().interrupt();
    assertThat(pending.await(0b111, Duration.ofMillis(1).toNanos())).isEqualTo(0b101);
    assertThat(Thread.interrupted()).isTrue();
  }
}
