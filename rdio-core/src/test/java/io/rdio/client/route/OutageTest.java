// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageTest {
  private static final long SECOND = 1_000_000_000;

  private final ManualClock clock = new ManualClock();
  private final Outage outage = new Outage(clock);

  private void passes(long nanos) {
    clock.advance(Duration.ofNanos(nanos));
  }

  /** A read that begins now fails. */
  private long fails(long nanos) {
    passes(nanos);
    return outage.failed(Route.DATANODE, nanos);
  }

  @Test
  void thereIsNoneBeforeAFailure() {
    assertThat(outage.isOver()).isTrue();
    assertThat(outage.mayAsk()).isTrue();
    assertThat(outage.end()).isFalse();
  }

  @Test
  void eachFailureIsFollowedByALongerPauseAndLosesNoMoreThanThat() {
    long[] pauses = {1, 2, 4, 8, 16, 32, 60, 60};
    for (long pause : pauses) {
      assertThat(fails(90 * SECOND)).isEqualTo(pause * SECOND);
      assertThat(outage.isOver()).isFalse();
      passes(pause * SECOND - 1);
      assertThat(outage.mayAsk()).isFalse();
      passes(1);
      assertThat(outage.mayAsk()).isTrue();
    }
  }

  @Test
  void aFailureThatIsSoonFoundOutLosesWhatItTook() {
    assertThat(fails(5)).isEqualTo(5);
  }

  @Test
  void whatBeganBeforeAFailureSaysNothingNew() {
    assertThat(fails(10 * SECOND)).isEqualTo(SECOND);
    passes(SECOND / 2);
    assertThat(outage.failed(Route.DATANODE, 10 * SECOND)).isNegative();
    passes(SECOND / 2);
    assertThat(outage.mayAsk()).as("the pause is the first one's").isTrue();
    assertThat(fails(SECOND)).as("and this one is the second").isEqualTo(SECOND);
    passes(SECOND);
    assertThat(outage.mayAsk()).isFalse();
  }

  @Test
  void aReadThatGoesWellEndsItAndTheNextPauseIsTheShortest() {
    fails(10 * SECOND);
    fails(10 * SECOND);
    assertThat(outage.end()).isTrue();
    assertThat(outage.isOver()).isTrue();
    assertThat(outage.mayAsk()).isTrue();
    assertThat(outage.end()).isFalse();
    assertThat(fails(10 * SECOND)).isEqualTo(SECOND);
  }

  @Test
  void whatBeganBeforeItsEndIsNoNewOne() {
    fails(10 * SECOND);
    passes(SECOND);
    outage.end();
    assertThat(outage.failed(Route.DATANODE, 5 * SECOND)).isNegative();
    assertThat(outage.isOver()).isTrue();
  }

  /** The other route's failure says nothing of this one. */
  @Test
  void whatBeganBeforeAFailureOfTheOtherRouteIsNew() {
    assertThat(fails(10 * SECOND)).isEqualTo(SECOND);
    assertThat(outage.failed(Route.DEVICE, 10 * SECOND)).isEqualTo(2 * SECOND);
    assertThat(outage.failed(Route.DEVICE, 10 * SECOND)).isNegative();
  }

  @Test
  void whatTheLastFailureTookIsKnownUncut() {
    assertThat(outage.lastTookNanos()).isZero();
    fails(90 * SECOND);
    assertThat(outage.lastTookNanos()).isEqualTo(90 * SECOND);
    outage.failed(Route.DATANODE, 100 * SECOND); // was under way then
    assertThat(outage.lastTookNanos()).isEqualTo(90 * SECOND);
    fails(5);
    assertThat(outage.lastTookNanos()).isEqualTo(5);
  }
}
