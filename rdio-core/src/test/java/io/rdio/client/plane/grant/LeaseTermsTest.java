// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The margin is taken off once, and counts as part of the term where the term is meant. */
final class LeaseTermsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long SENT = Long.MAX_VALUE - SECOND; // wraps round

  private final LeaseTerms terms = new LeaseTerms(Duration.ofSeconds(2));

  private Lease lease(long leaseMillis) {
    return new Lease(1, 1, SENT, terms.deadline(SENT, leaseMillis));
  }

  @Test
  void leaseEndsByTheMarginBeforeItsTerm() {
    Lease lease = lease(60_000);

    assertThat(lease.isValid(SENT + 58 * SECOND - 1)).isTrue();
    assertThat(lease.isValid(SENT + 58 * SECOND)).isFalse();
  }

  @Test
  void renewalIsDueFromHalfOfTheTermThatTheDataNodeGave() {
    Lease lease = lease(60_000);
    lease.touch(SENT + SECOND);

    assertThat(terms.wantsRenewal(lease, SENT + 30 * SECOND - 1)).isFalse();
    assertThat(terms.wantsRenewal(lease, SENT + 30 * SECOND)).isTrue();
  }

  @Test
  void leaseThatNobodyUsedIsNotRenewed() {
    assertThat(terms.wantsRenewal(lease(60_000), SENT + 40 * SECOND)).isFalse();
  }

  @Test
  void termsOutOfAnyReasonAreCut() {
    assertThat(LeaseTerms.termNanos(Long.MAX_VALUE)).isEqualTo(LeaseTerms.MAX_TERM_NANOS);
    assertThat(LeaseTerms.termNanos(-1)).isZero();
    assertThat(lease(-1).isValid(SENT)).isFalse();
  }

  @Test
  void leasesAreLookedAtSixTimesInATermButNotWithoutPause() {
    assertThat(LeaseTerms.pause(60 * SECOND)).isEqualTo(10 * SECOND);
    assertThat(LeaseTerms.pause(0)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(10));
  }

  @Test
  void lookMayComeAnEighthOfItsPauseTooEarly() {
    assertThat(LeaseTerms.early(8 * SECOND)).isEqualTo(SECOND);
  }
}
