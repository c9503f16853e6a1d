// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a device is refused for what it owes. */
final class AbandonedReadsTest {
  private final AtomicLong now = new AtomicLong();
  private final AbandonedReads reads = new AbandonedReads(now::get);

  private void assertRefused() {
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> reads.requireAnswering("/dev/x"));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(refusal.detail()).contains("/dev/x is not tried");
  }

  private void assertTried() {
    assertThatNoException().isThrownBy(() -> reads.requireAnswering("/dev/x"));
  }

  @Test
  void lateReadsKeepEverybodyAwayForAsLongAsTheyTake() {
    assertTried();
    reads.begin(true);
    reads.begin(true);
    now.addAndGet(Duration.ofHours(1).toNanos());
    assertRefused();
    reads.end(true);
    assertRefused();
    reads.end(true);
    assertTried();
  }

  @Test
  void backOffDoublesFromHangToHang() {
    for (Duration expected = AbandonedReads.FIRST_BACK_OFF;
        expected.compareTo(AbandonedReads.LAST_BACK_OFF) < 0;
        expected = expected.multipliedBy(2)) {
      reads.begin(true);
      reads.begin(true); // of the same hang
      reads.end(true);
      reads.end(true);
      now.addAndGet(expected.toNanos() - 1);
      assertRefused();
      now.addAndGet(1);
      assertTried();
    }
    reads.begin(true);
    reads.end(true);
    now.addAndGet(AbandonedReads.LAST_BACK_OFF.toNanos());
    assertTried();
    now.addAndGet(AbandonedReads.FORGOTTEN_AFTER.toNanos());
    reads.begin(true);
    reads.end(true);
    now.addAndGet(AbandonedReads.FIRST_BACK_OFF.toNanos());
    assertTried();
  }

  @Test
  void readsOfInterruptedThreadsAreBoundedOnly() {
    for (int i = 1; i < AbandonedReads.MAX; i++) {
      reads.begin(false);
      assertTried();
    }
    reads.begin(false);
    assertRefused();
    reads.end(false);
    assertTried();
  }
}
