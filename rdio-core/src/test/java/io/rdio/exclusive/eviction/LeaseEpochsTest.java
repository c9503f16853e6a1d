// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.grant.Lease;
import io.rdio.core.testing.ManualClock;
import io.rdio.exclusive.eviction.LeaseEpochs.Stamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An epoch lasts no longer than its lease. */
final class LeaseEpochsTest {
  private final ManualClock clock = new ManualClock();
  private final LeaseEpochs epochs = new LeaseEpochs(clock);

  private enum End {
    RUNS_OUT,
    IS_RECALLED,
    IS_GIVEN_UP
  }

  private Lease lease() {
    long now = clock.nanos();
    return new Lease(1, 1, now, now + Duration.ofMinutes(1).toNanos());
  }

  private Stamp stamp(Lease lease) {
    return Objects.requireNonNull(epochs.stamp(lease));
  }

  private boolean holds(Stamp stamp) {
    return epochs.epoch(stamp.slot()) == stamp.epoch();
  }

  @ParameterizedTest
  @EnumSource
  void endsWhenItsLease(End how) {
    Lease lease = lease();
    Stamp stamp = stamp(lease);
    assertThat(holds(stamp)).isTrue();
    assertThat(epochs.stamp(lease)).isEqualTo(stamp);

    switch (how) {
      case RUNS_OUT -> clock.advance(Duration.ofMinutes(1));
      case IS_RECALLED -> lease.recall();
      case IS_GIVEN_UP -> lease.end();
    }

    assertThat(holds(stamp)).isFalse();
    assertThat(epochs.stamp(lease)).isNull();
    assertThat(holds(stamp)).isFalse();
  }

  @Test
  void goesOnWithItsLease() {
    Lease lease = lease();
    Stamp stamp = stamp(lease);
    long now = clock.nanos();
    lease.renew(now, now + Duration.ofMinutes(2).toNanos(), now);
    clock.advance(Duration.ofSeconds(90));

    assertThat(holds(stamp)).isTrue();
  }

  /** Many more leases than slots: whatever holds then was under a lease that still does. */
  @Test
  void leaseThatEndedIsNotTakenForAnother() {
    List<Stamp> ended = new ArrayList<>();
    List<Lease> kept = new ArrayList<>();
    for (int i = 0; i < 40_000; i++) {
      Lease lease = lease();
      Stamp stamp = stamp(lease);
      if (i % 2 == 0) {
        lease.end();
        ended.add(stamp);
      } else {
        kept.add(lease);
      }
    }

    assertThat(ended).noneMatch(this::holds);
    assertThat(kept).allMatch(lease -> holds(stamp(lease)));
  }

  @Test
  void whatNeverChangesDoesNot() {
    assertThat(epochs.epoch(ExtentEpochs.NEVER_CHANGES)).isZero();
  }
}
