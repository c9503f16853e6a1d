// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.nativeio.HugeMemory;
import io.rdio.nativeio.NativeLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of the memory for stripes is lent to whom. */
final class StripeMemoryTest {
  private static final long PAGE = HugeMemory.PAGE;
  private static final StripeLayout LAYOUT = new StripeLayout(2, 1, 4096);
  private static final int SUMS = 1000;

  private final StripeMemory memory = new StripeMemory(4 * PAGE + SUMS);

  @BeforeEach
  void requireLibrary() {
    assertThat(NativeLibrary.availability().isAvailable()).isTrue();
    assertThat(Stripe.bytesOf(LAYOUT)).isEqualTo(PAGE);
  }

  private static FallbackReason reason(ThrowingCallable call) {
    FallbackException refusal = catchThrowableOfType(FallbackException.class, call);
    assertThat(refusal).isNotNull();
    return refusal.reason();
  }

  @Test
  void checksumsOfParityTakeOfItToTheirEnd() throws Exception {
    Stripe first = memory.first(LAYOUT, SUMS);
    assertThat(memory.lent()).isEqualTo(PAGE + SUMS);
    memory.give(first);
    assertThat(memory.lent()).as("the stripe's end is not theirs").isEqualTo(SUMS);

    assertThat(reason(() -> memory.first(LAYOUT, 3 * PAGE + 1)))
        .isEqualTo(FallbackReason.AGENT_BUSY);
    assertThat(memory.lent()).as("a refusal takes nothing").isEqualTo(SUMS);
    Stripe second = memory.first(LAYOUT, 3 * PAGE);
    assertThat(second).as("which was kept").isSameAs(first);
    assertThat(reason(() -> memory.instead(LAYOUT))).isEqualTo(FallbackReason.DEVICE_TIMEOUT);

    memory.giveSums(3 * PAGE);
    Stripe third = memory.instead(LAYOUT);
    assertThat(third).isNotSameAs(second);
    memory.give(second);
    memory.give(third);
    memory.giveSums(SUMS);
    assertThat(memory.lent()).isZero();
  }

  @Test
  void checksumsHaveNoRoomBesideStripesThatAreKept() throws Exception {
    List<Stripe> kept = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      kept.add(memory.first(LAYOUT, 0));
    }
    Stripe other = memory.first(LAYOUT, 0);
    kept.forEach(memory::give);

    Stripe first = memory.first(LAYOUT, 2 * PAGE);
    assertThat(first).isSameAs(kept.get(0));
    memory.giveSums(2 * PAGE);
    Stripe next = memory.first(LAYOUT, 0);
    assertThat(next).as("the others were unmapped for the checksums").isNotIn(kept);
    memory.give(other);
    memory.give(first);
    memory.give(next);
    assertThat(memory.lent()).isZero();
  }

  @Test
  void whatWaitsForParityHasHalfOfIt() throws Exception {
    Stripe first = memory.first(LAYOUT, 0);
    Stripe second = Objects.requireNonNull(memory.further(LAYOUT));
    assertThat(memory.further(LAYOUT)).isNull();
    Stripe other = memory.first(LAYOUT, SUMS);
    memory.give(other);
    memory.give(second);
    assertThat(memory.further(LAYOUT)).as("for want of room for its checksums").isNull();
    memory.giveSums(SUMS);
    memory.give(Objects.requireNonNull(memory.further(LAYOUT)));
    memory.give(first);
    assertThat(memory.lent()).isZero();
  }
}
