// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Who may write when a host was shut out, at a target like Linux's. */
final class DeviceFenceTest {
  private static final long DEAD = HostKey.of("dead");
  private static final long HERE = HostKey.of("here");
  private static final long OTHER = HostKey.of("other");
  private static final long AGENT = AgentKey.next(AgentKey.name(1));
  private static final ReservationType FOR_ALL = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;

  private final TestNamespace namespace = new TestNamespace();

  private HostFence fence(ReservationType type) {
    return new DeviceFence(namespace.of("here"), HERE, type);
  }

  private HostFence fence() {
    return fence(ReservationType.WRITE_EXCLUSIVE);
  }

  @Test
  void writesOfTheHostThatHeldItAreRefusedAndOursAreNot() throws Exception {
    namespace.take("dead", DEAD);
    assertThat(namespace.takesWritesOf("here")).isFalse();
    assertThat(fence().isShutOut(DEAD)).isFalse();

    fence().shutOut(DEAD);

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.takesWritesOf("here")).isTrue();
    assertThat(fence().isShutOut(DEAD)).isTrue();
  }

  @Test
  void doneAgainItChangesNothing() throws Exception {
    namespace.take("dead", DEAD);
    fence().shutOut(DEAD);
    ReservationReport first = namespace.of("here").report();

    fence().shutOut(DEAD);

    assertThat(namespace.of("here").report()).isEqualTo(first);
  }

  @Test
  void hostThatIsOnlyRegisteredIsShutOutToo() throws Exception {
    namespace.of("dead").register(DEAD);

    fence().shutOut(DEAD);

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.of("here").report().hasKey(DEAD)).isFalse();
  }

  private void isNotRegistered(ThrowingCallable asked) {
    assertThatThrownBy(asked)
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("no host is registered by " + HostKey.text(DEAD))
        .hasMessageContaining("fix:");
  }

  @Test
  void hostThatIsNotRegisteredCannotBe() throws Exception {
    isNotRegistered(() -> fence().shutOut(DEAD));
    isNotRegistered(() -> fence().requireRegistered(DEAD));
    assertThat(namespace.of("here").report().registrants()).isEmpty();
  }

  /** What this host has left on the device, or holds there, says nothing of the other one. */
  @Test
  void norIfThisHostIs() throws Exception {
    namespace.of("here").register(HERE);
    isNotRegistered(() -> fence().requireRegistered(DEAD));
    namespace.take("here", HERE);
    isNotRegistered(() -> fence().requireRegistered(DEAD));

    namespace.of("dead").register(DEAD);
    fence().requireRegistered(DEAD);
  }

  /** Linux's target does not end its writes then: to say that it is shut out would be wrong. */
  @Test
  void whereThisHostHoldsItARegisteredHostIsNotSaidToBeShutOut() throws Exception {
    namespace.take("here", HERE);
    namespace.of("dead").register(DEAD);

    assertThatThrownBy(() -> fence().shutOut(DEAD))
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("still shows")
        .hasMessageContaining("fix:");
  }

  @Test
  void nobodyElseIsShutOutInPassing() throws Exception {
    namespace.take("other", OTHER);
    namespace.of("dead").register(DEAD);

    List<ThrowingCallable> both =
        List.of(() -> fence().requireRegistered(DEAD), () -> fence().shutOut(DEAD));
    for (ThrowingCallable asked : both) {
      assertThatThrownBy(asked)
          .isInstanceOf(ReservationException.class)
          .hasMessageContaining("held by another host");
    }
    assertThat(namespace.takesWritesOf("other")).isTrue();
  }

  @Test
  void noHostShutsItselfOut() throws Exception {
    namespace.take("here", HERE);

    assertThatThrownBy(() -> fence().shutOut(HERE)).hasMessageContaining("own key");
    assertThat(namespace.takesWritesOf("here")).isTrue();
  }

  @Test
  void ownIsWhatThisHostHoldsAndNoOtherOneOfItsName() throws Exception {
    assertThat(fence().isOwn()).isFalse();
    namespace.take("another machine", HERE);
    assertThat(fence().isOwn()).isFalse();
    namespace.forget();
    namespace.take("here", HERE);
    assertThat(fence().isOwn()).isTrue();
    namespace.forget();
    Reservations unknown = namespace.of("");
    namespace.take("", HERE);
    DeviceFence fence = new DeviceFence(unknown, HERE, ReservationType.WRITE_EXCLUSIVE);
    assertThat(fence.isOwn()).as("a host that cannot be told").isFalse();
  }

  /** W8: agents are registered beside the DataNode's host, and one of them is shut out. */
  @Test
  void oneOfSeveralRegisteredHostsIsShutOut() throws Exception {
    ReservationType all = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
    Reservations here = namespace.of("here");
    here.register(HERE);
    here.reserve(HERE, all);
    namespace.of("dead").register(DEAD);
    namespace.of("other").register(OTHER);
    assertThat(namespace.takesWritesOf("dead")).isTrue();

    fence(all).shutOut(DEAD);

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.takesWritesOf("other")).isTrue();
    assertThat(namespace.takesWritesOf("here")).isTrue();
    assertThat(fence(all).isShutOut(DEAD)).isTrue();
    assertThat(fence(all).isShutOut(OTHER)).isFalse();
  }

  /** The host that was shut out registers again by another key, and may write again. */
  @Test
  void itMayComeBackByAnotherKey() throws Exception {
    oneOfSeveralRegisteredHostsIsShutOut();

    namespace.of("dead").register(HostKey.of("dead again"));

    assertThat(namespace.takesWritesOf("dead")).isTrue();
    assertThat(fence(ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS).isShutOut(DEAD)).isTrue();
  }

  /** A dead DataNode's agents may write to its volume no more than itself. */
  @Test
  void withADataNodeItsAgentsAreShutOut() throws Exception {
    OwnReservation.take(namespace.of("dead"), DEAD, FOR_ALL);
    namespace.of("agent").register(AGENT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();

    fence().shutOut(DEAD);

    for (String host : List.of("dead", "agent")) {
      assertThat(namespace.takesWritesOf(host)).as(host).isFalse();
    }
    assertThat(namespace.takesWritesOf("here")).isTrue();
    namespace.of("agent").register(AGENT + 1);
    assertThat(namespace.takesWritesOf("agent")).as("of whatever key").isFalse();
    assertThat(fence().isShutOut(DEAD)).isTrue();
  }

  /** A try before this one was killed when this host was registered beside the others. */
  @Test
  void soTheyAreBehindATryThatWasKilled() throws Exception {
    OwnReservation.take(namespace.of("dead"), DEAD, FOR_ALL);
    namespace.of("agent").register(AGENT);
    namespace.of("here").register(HERE);
    namespace.of("dead").unregister(DEAD);

    fence().shutOut(DEAD);

    assertThat(namespace.takesWritesOf("agent")).isFalse();
    assertThat(namespace.takesWritesOf("here")).isTrue();
  }

  /** Whoever fences may be the host of an agent that wrote there. */
  @Test
  void agentsHostFencesByItsOwnKey() throws Exception {
    OwnReservation.take(namespace.of("dead"), DEAD, FOR_ALL);
    namespace.of("here").register(AGENT);

    fence().shutOut(DEAD);

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.of("here").report().isHeldBy(HERE)).isTrue();
  }

  /** This host took the volume over, and lets agents write to it: the dead one still cannot. */
  @Test
  void hostStaysShutOutOfWhatItsSuccessorsAgentsWriteTo() throws Exception {
    namespace.take("dead", DEAD);
    fence().shutOut(DEAD);

    OwnReservation.take(namespace.of("here"), HERE, FOR_ALL);

    namespace.of("agent").register(AGENT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();
    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(fence().isShutOut(DEAD)).isTrue();
    namespace.of("dead").register(DEAD);
    assertThat(fence().isShutOut(DEAD)).isFalse();
  }

  /** Of a DataNode: it would undo the fence that it is behind. */
  @Test
  void hostThatWasShutOutItselfShutsNoAgentOut() throws Exception {
    OwnReservation.take(namespace.of("here"), HERE, FOR_ALL);
    namespace.of("agent").register(AGENT);
    new DeviceFence(namespace.of("other"), OTHER, ReservationType.WRITE_EXCLUSIVE).shutOut(HERE);

    assertThatThrownBy(() -> fence(FOR_ALL).shutOut(AGENT))
        .isInstanceOf(ReservationException.class);

    assertThat(namespace.of("here").report().hasKey(HERE)).isFalse();
    assertThat(namespace.takesWritesOf("other")).isTrue();
  }

  /** Its target has forgotten, and the DataNode has not reserved it anew yet. */
  @Test
  void norDoesItWhereNobodyHoldsTheDevice() throws Exception {
    OwnReservation.take(namespace.of("here"), HERE, FOR_ALL);
    namespace.of("agent").register(AGENT);
    namespace.forget();

    assertThatThrownBy(() -> fence(FOR_ALL).shutOut(AGENT))
        .hasMessageContaining("is not held by this host");
    assertThat(fence(FOR_ALL).isShutOut(AGENT)).isFalse();

    OwnReservation.take(namespace.of("here"), HERE, FOR_ALL);
    assertThat(fence(FOR_ALL).isShutOut(AGENT)).isTrue();
    fence(FOR_ALL).shutOut(AGENT);
  }
}
