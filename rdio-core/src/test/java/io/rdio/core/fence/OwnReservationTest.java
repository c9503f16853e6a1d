// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdio.core.fence.ReservationException.Obstacle;
import org.junit.jupiter.api.Test;

/** Taking a reservation, at a target like Linux's. */
final class OwnReservationTest {
  private static final long KEY = HostKey.of("dn1");

  private final TestNamespace namespace = new TestNamespace();

  private void refused(String host, long key, Obstacle obstacle) {
    assertThatThrownBy(() -> OwnReservation.take(namespace.of(host), key))
        .asInstanceOf(type(ReservationException.class))
        .extracting(ReservationException::obstacle)
        .isEqualTo(obstacle);
  }

  @Test
  void nobodyElseWrites() throws Exception {
    ReservationReport report = OwnReservation.take(namespace.of("machine1"), KEY);

    assertThat(OwnReservation.isHeld(report, KEY)).isTrue();
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
    assertThat(namespace.takesWritesOf("machine2")).isFalse();
  }

  @Test
  void hostThatStartsAgainHasItStill() throws Exception {
    OwnReservation.take(namespace.of("machine1"), KEY);
    ReservationReport again = OwnReservation.take(namespace.of("machine1"), KEY);

    assertThat(OwnReservation.isHeld(again, KEY)).isTrue();
    assertThat(again.registrants()).hasSize(1);
  }

  @Test
  void hostOfAnotherNameHasWhatItHad() throws Exception {
    namespace.of("machine1").register(HostKey.of("its name before"));

    OwnReservation.take(namespace.of("machine1"), KEY);

    assertThat(namespace.of("machine1").report().registrants()).hasSize(1);
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
  }

  /** Also where it has it by the key of another name. */
  @Test
  void whatThisHostHoldsIsGivenBackByWhateverKey() throws Exception {
    OwnReservation.take(namespace.of("machine1"), KEY);

    OwnReservation.giveBack(namespace.of("machine1"), HostKey.of("its name before"));
    OwnReservation.giveBack(namespace.of("machine1"), HostKey.of("its name before"));

    assertThat(namespace.of("machine1").report().registrants()).isEmpty();
    assertThat(namespace.takesWritesOf("machine2")).isTrue();
  }

  @Test
  void whatAnotherHostHoldsIsNotGivenBack() throws Exception {
    OwnReservation.take(namespace.of("machine2"), HostKey.of("dn2"));
    namespace.of("machine1").register(KEY);

    OwnReservation.giveBack(namespace.of("machine1"), KEY);

    assertThat(namespace.of("machine1").report().registrants())
        .extracting(Registrant::hostId)
        .containsExactly("machine2");
    assertThat(namespace.takesWritesOf("machine1")).isFalse();
  }

  @Test
  void anotherHostsIsLeftAlone() throws Exception {
    OwnReservation.take(namespace.of("machine2"), HostKey.of("dn2"));

    refused("machine1", KEY, Obstacle.CONFLICT);

    assertThat(namespace.of("machine1").report().registrants()).hasSize(1);
    assertThat(namespace.takesWritesOf("machine2")).isTrue();
  }

  /** A machine that took over the name of a dead one has its key, and not its reservation. */
  @Test
  void anotherMachineOfTheSameNameDoesNotHaveIt() throws Exception {
    OwnReservation.take(namespace.of("machine1"), KEY);

    refused("machine2", KEY, Obstacle.CONFLICT);

    assertThat(namespace.of("machine2").report().registrants())
        .extracting(Registrant::hostId)
        .containsExactly("machine1");
    assertThat(namespace.takesWritesOf("machine2")).isFalse();
  }

  /** As systemd does it for a DataNode that is not root. */
  @Test
  void whatWasTakenForThisHostIsItsOwn() throws Exception {
    OwnReservation.take(namespace.of("machine1"), KEY);
    namespace.readersOnly();

    assertThat(OwnReservation.isHeld(OwnReservation.take(namespace.of("machine1"), KEY), KEY))
        .isTrue();
    refused("machine2", KEY, Obstacle.DENIED);
  }

  @Test
  void targetWithoutReservationsHasNone() {
    namespace.unsupported();
    refused("machine1", KEY, Obstacle.UNSUPPORTED);
  }

  @Test
  void whatIsGivenUpIsAnybodys() throws Exception {
    OwnReservation.take(namespace.of("machine1"), KEY);

    OwnReservation.release(namespace.of("machine1"), KEY);
    OwnReservation.release(namespace.of("machine1"), KEY);

    assertThat(namespace.takesWritesOf("machine2")).isTrue();
    assertThat(namespace.of("machine1").report().registrants()).isEmpty();
  }
}
