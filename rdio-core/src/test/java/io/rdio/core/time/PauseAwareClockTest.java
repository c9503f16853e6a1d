// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.grant.Lease;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PauseAwareClockTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong boot = new AtomicLong(1_000 * SECOND);
  private final AtomicLong wall = new AtomicLong(1_800_000_000_000L);
  private final PauseAwareClock clock = new PauseAwareClock(boot::get, wall::get);

  private void bothGoOn(long millis) {
    boot.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    wall.addAndGet(millis);
  }

  @Test
  void goesWithTheBootClock() {
    long start = clock.nanos();
    bothGoOn(12_345);
    assertThat(clock.nanos() - start).isEqualTo(12_345_000_000L);
    assertThat(clock.jumps()).isZero();
  }

  /** Forward: a pause that was put right. Back: a snapshot, or a clock that was set. */
  @ParameterizedTest
  @ValueSource(longs = {1_001, 300_000, 86_400_000L * 365, -1_001, -300_000})
  void aStepOfTheWallClockEndsTheLeaseOfAReadUnderWay(long stepMillis) {
    long now = clock.nanos();
    Lease lease = new Lease(1, 1, now, now + TimeUnit.HOURS.toNanos(23));
    assertThat(lease.isValid(clock.nanos())).isTrue(); // the read is sent
    wall.addAndGet(stepMillis); // the machine was paused, and its wall clock put right
    bothGoOn(1);
    assertThat(lease.isValid(clock.nanos())).isFalse(); // its bytes are dropped
    bothGoOn(1);
    assertThat(lease.isValid(clock.nanos())).isFalse();
    assertThat(clock.jumps()).isEqualTo(1);
  }

  @Test
  void aLeaseOfAfterwardsIsNotTouched() {
    wall.addAndGet(5_000);
    long now = clock.nanos();
    Lease lease = new Lease(1, 1, now, now + SECOND);
    bothGoOn(999);
    assertThat(lease.isValid(clock.nanos())).isTrue();
    bothGoOn(2);
    assertThat(lease.isValid(clock.nanos())).isFalse();
    assertThat(clock.jumps()).isEqualTo(1);
  }

  @Test
  void smallStepsDoNotCountUntilTheyAddUp() {
    long start = clock.nanos();
    wall.addAndGet(PauseAwareClock.BOUND_MILLIS);
    assertThat(clock.nanos()).isEqualTo(start);
    wall.addAndGet(1);
    assertThat(clock.nanos()).isEqualTo(start + TimeUnit.DAYS.toNanos(1));
  }

  /** Stopped between its looks at the two clocks, as SIGSTOP or a busy host may do. */
  @Test
  void aThreadThatWasHeldUpIsNoStep() {
    AtomicLong heldUp = new AtomicLong();
    PauseAwareClock slow =
        new PauseAwareClock(
            boot::get,
            () -> {
              bothGoOn(heldUp.getAndSet(0));
              return wall.get();
            });
    long start = slow.nanos();
    heldUp.set(60_000);
    assertThat(slow.nanos() - start).isEqualTo(60 * SECOND);
    assertThat(slow.jumps()).isZero();
  }
}
