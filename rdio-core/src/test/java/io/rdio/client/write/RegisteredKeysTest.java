// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.fence.AgentKey;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which answers count, by the registration of before and behind them. */
final class RegisteredKeysTest {
  private static final String DEVICE = "uuid.1";
  private static final String OTHER = "uuid.2";

  private final RegisteredKeys keys = new RegisteredKeys(AgentKey.name(7));

  private long register(String wwid) {
    long key = keys.next(wwid);
    keys.registered(wwid);
    return key;
  }

  @Test
  void nothingIsKnownAtFirst() {
    assertThat(keys.last(DEVICE)).isZero();
    assertThat(keys.isRegistered(DEVICE)).isFalse();
    assertThat(keys.isGoodSince(DEVICE, 0)).isFalse();
    assertThat(keys.isNewerThan(DEVICE, 0)).isFalse();
    assertThat(keys.registrations()).isZero();
  }

  @Test
  void onlyAnswersToWhatWasAskedBehindTheRegistrationCount() {
    long before = keys.registrations();
    long key = register(DEVICE);
    long behind = keys.registrations();

    assertThat(keys.last(DEVICE)).isEqualTo(key);
    assertThat(keys.isGoodSince(DEVICE, before)).isFalse();
    assertThat(keys.isNewerThan(DEVICE, before)).isTrue();
    assertThat(keys.isGoodSince(DEVICE, behind)).isTrue();
    assertThat(keys.isNewerThan(DEVICE, behind)).isFalse();
  }

  @Test
  void anotherDevicesRegistrationChangesNothing() {
    register(DEVICE);
    long asked = keys.registrations();
    register(OTHER);

    assertThat(keys.isGoodSince(DEVICE, asked)).isTrue();
    assertThat(keys.isGoodSince(OTHER, asked)).isFalse();
  }

  @Test
  void whatIsInDoubtOrForgottenDoesNotCount() {
    register(DEVICE);
    keys.doubt(DEVICE, 5);
    assertThat(keys.isGood(DEVICE)).isFalse();
    assertThat(keys.isGoodSince(DEVICE, 1)).isFalse();
    assertThat(keys.isRegistered(DEVICE)).as("it is still there").isTrue();
    assertThat(keys.unsureNanos(DEVICE)).isEqualTo(5);

    long key = register(DEVICE);
    assertThat(keys.isGood(DEVICE)).isTrue();
    assertThat(keys.isGoodSince(DEVICE, 2)).isTrue();

    keys.forget(DEVICE);
    assertThat(keys.isRegistered(DEVICE)).isFalse();
    assertThat(keys.last(DEVICE)).as("the device may have it yet").isEqualTo(key);
    assertThat(keys.isGoodSince(DEVICE, 2)).isFalse();
  }

  /** A lease of before may be lost late: that says nothing of the next registration. */
  @Test
  void whereNothingIsRegisteredThereIsNothingToDoubt() {
    keys.doubt(DEVICE, 5);
    assertThat(keys.unsureNanos(DEVICE)).isEqualTo(5);
    keys.unsure(DEVICE, 9);
    assertThat(keys.unsureNanos(DEVICE)).isEqualTo(9);
    register(DEVICE);
    assertThat(keys.isGood(DEVICE)).isTrue();
  }

  @Test
  void noKeyComesTwice() {
    Set<Long> seen = new HashSet<>();
    for (long key = keys.next(DEVICE); key != 0; key = keys.next(DEVICE)) {
      assertThat(seen.add(key)).isTrue();
    }
    assertThat(seen).hasSize(4095).doesNotContain(keys.name());
    assertThat(keys.next(DEVICE)).isZero();
    assertThat(keys.next(OTHER)).isNotZero();
  }
}
