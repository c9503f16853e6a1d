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
  private static final long AGENT = AgentKey.next(AgentKey.name(1));
  private static final ReservationType ALONE = ReservationType.WRITE_EXCLUSIVE;
  private static final ReservationType FOR_ALL = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;

  private final TestNamespace namespace = new TestNamespace();

  private void refused(String host, long key, Obstacle obstacle) {
    assertThatThrownBy(() -> OwnReservation.take(namespace.of(host), key, ALONE))
        .asInstanceOf(type(ReservationException.class))
        .extracting(ReservationException::obstacle)
        .isEqualTo(obstacle);
  }

  private ReservationReport takeAlone(String host) throws ReservationException {
    return OwnReservation.take(namespace.of(host), KEY, ALONE);
  }

  @Test
  void nobodyElseWrites() throws Exception {
    ReservationReport report = takeAlone("machine1");

    assertThat(OwnReservation.isHeld(report, KEY, ALONE)).isTrue();
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
    assertThat(namespace.takesWritesOf("machine2")).isFalse();
  }

  @Test
  void hostThatStartsAgainHasItStill() throws Exception {
    takeAlone("machine1");
    ReservationReport again = takeAlone("machine1");

    assertThat(OwnReservation.isHeld(again, KEY, ALONE)).isTrue();
    assertThat(again.registrants()).hasSize(1);
  }

  @Test
  void hostOfAnotherNameHasWhatItHad() throws Exception {
    namespace.of("machine1").register(HostKey.of("its name before"));

    takeAlone("machine1");

    assertThat(namespace.of("machine1").report().registrants()).hasSize(1);
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
  }

  /** Also where it has it by the key of another name. */
  @Test
  void whatThisHostHoldsIsGivenBackByWhateverKey() throws Exception {
    takeAlone("machine1");

    OwnReservation.giveBack(namespace.of("machine1"), HostKey.of("its name before"));
    OwnReservation.giveBack(namespace.of("machine1"), HostKey.of("its name before"));

    assertThat(namespace.of("machine1").report().registrants()).isEmpty();
    assertThat(namespace.takesWritesOf("machine2")).isTrue();
  }

  @Test
  void whatAnotherHostHoldsIsNotGivenBack() throws Exception {
    OwnReservation.take(namespace.of("machine2"), HostKey.of("dn2"), ALONE);
    namespace.of("machine1").register(KEY);

    OwnReservation.giveBack(namespace.of("machine1"), KEY);

    assertThat(namespace.of("machine1").report().registrants())
        .extracting(Registrant::hostId)
        .containsExactly("machine2");
    assertThat(namespace.takesWritesOf("machine1")).isFalse();
  }

  @Test
  void anotherHostsIsLeftAlone() throws Exception {
    OwnReservation.take(namespace.of("machine2"), HostKey.of("dn2"), ALONE);

    refused("machine1", KEY, Obstacle.CONFLICT);

    assertThat(namespace.of("machine1").report().registrants()).hasSize(1);
    assertThat(namespace.takesWritesOf("machine2")).isTrue();
  }

  /** A machine that took over the name of a dead one has its key, and not its reservation. */
  @Test
  void anotherMachineOfTheSameNameDoesNotHaveIt() throws Exception {
    takeAlone("machine1");

    refused("machine2", KEY, Obstacle.CONFLICT);

    assertThat(namespace.of("machine2").report().registrants())
        .extracting(Registrant::hostId)
        .containsExactly("machine1");
    assertThat(namespace.takesWritesOf("machine2")).isFalse();
  }

  /** As systemd does it for a DataNode that is not root. */
  @Test
  void whatWasTakenForThisHostIsItsOwn() throws Exception {
    takeAlone("machine1");
    namespace.readersOnly();

    ReservationReport again = takeAlone("machine1");
    assertThat(OwnReservation.isHeld(again, KEY, ALONE)).isTrue();
    refused("machine2", KEY, Obstacle.DENIED);
  }

  @Test
  void targetWithoutReservationsHasNone() {
    namespace.unsupported();
    refused("machine1", KEY, Obstacle.UNSUPPORTED);
  }

  @Test
  void whatIsGivenUpIsAnybodys() throws Exception {
    takeAlone("machine1");

    OwnReservation.release(namespace.of("machine1"), KEY);
    OwnReservation.release(namespace.of("machine1"), KEY);

    assertThat(namespace.takesWritesOf("machine2")).isTrue();
    assertThat(namespace.of("machine1").report().registrants()).isEmpty();
  }

  private ReservationReport takeForAll(String host) throws ReservationException {
    return OwnReservation.take(namespace.of(host), KEY, FOR_ALL);
  }

  @Test
  void agentsHostsWriteBesideTheOneThatHoldsIt() throws Exception {
    ReservationReport report = takeForAll("machine1");

    assertThat(OwnReservation.isHeld(report, KEY, FOR_ALL)).isTrue();
    assertThat(OwnReservation.isHeld(report, KEY, ALONE)).isFalse();
    assertThat(namespace.takesWritesOf("agent")).isFalse();
    namespace.of("agent").register(AGENT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
  }

  /** A DataNode that is started anew finds its agents as they were. */
  @Test
  void takenAgainItTakesNothingFromThem() throws Exception {
    takeForAll("machine1");
    namespace.of("agent").register(AGENT);
    namespace.of("stranger").register(HostKey.of("stranger"));

    ReservationReport again = takeForAll("machine1");

    assertThat(OwnReservation.isHeld(again, KEY, FOR_ALL)).isTrue();
    assertThat(namespace.takesWritesOf("agent")).isTrue();
    assertThat(namespace.takesWritesOf("stranger")).as("who is no agent").isFalse();
  }

  @Test
  void otherKindIsTakenInThePlaceOfThisOne() throws Exception {
    takeAlone("machine1");
    namespace.of("stranger").register(HostKey.of("stranger"));

    takeForAll("machine1");

    assertThat(namespace.takesWritesOf("machine1")).isTrue();
    assertThat(namespace.takesWritesOf("stranger")).as("who was registered before").isFalse();
    namespace.of("agent").register(AGENT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();

    takeAlone("machine1");

    assertThat(namespace.takesWritesOf("machine1")).isTrue();
    assertThat(namespace.takesWritesOf("agent")).as("who was an agent's").isFalse();
  }

  /** To register is all that it takes to hold what all hold. */
  @Test
  void anotherMachineOfTheSameNameIsNotLetInAsThisOne() throws Exception {
    takeForAll("machine1");

    for (ReservationType kind : ReservationType.values()) {
      assertThatThrownBy(() -> OwnReservation.take(namespace.of("machine2"), KEY, kind))
          .asInstanceOf(type(ReservationException.class))
          .extracting(ReservationException::obstacle)
          .isEqualTo(Obstacle.CONFLICT);
      assertThatThrownBy(() -> OwnReservation.take(namespace.of(""), KEY, kind))
          .isInstanceOf(ReservationException.class);
    }

    assertThat(namespace.takesWritesOf("machine2")).isFalse();
    assertThat(namespace.takesWritesOf("machine1")).isTrue();
  }

  /** Who may not shut anybody out does not lend by that. */
  @Test
  void whoMayOnlyReadDoesNotHaveIt() throws Exception {
    takeForAll("machine1");
    namespace.readersOnly();

    assertThatThrownBy(() -> takeForAll("machine1"))
        .asInstanceOf(type(ReservationException.class))
        .extracting(ReservationException::obstacle)
        .isEqualTo(Obstacle.DENIED);
  }

  /** Else it would be theirs from then on, and no DataNode's. */
  @Test
  void whatIsGivenUpIsNotLeftToAgents() throws Exception {
    takeForAll("machine1");
    namespace.of("agent").register(AGENT);

    OwnReservation.release(namespace.of("machine1"), KEY);

    assertThat(namespace.of("machine1").report().registrants()).isEmpty();
    assertThat(namespace.of("machine1").report().isReserved()).isFalse();
  }

  /** A fence that was begun and not done has registered this host beside the dead one's. */
  @Test
  void whatOthersHoldTooIsNotTakenFromThem() throws Exception {
    OwnReservation.take(namespace.of("machine2"), HostKey.of("dn2"), FOR_ALL);
    namespace.of("machine1").register(KEY);

    OwnReservation.giveBack(namespace.of("machine1"), KEY);

    assertThat(namespace.takesWritesOf("machine2")).isTrue();
    assertThat(namespace.takesWritesOf("machine1")).isFalse();
    namespace.of("machine1").register(AGENT);
    OwnReservation.giveBack(namespace.of("machine1"), KEY);
    assertThat(namespace.takesWritesOf("machine1")).as("an agent's").isTrue();
  }
}
