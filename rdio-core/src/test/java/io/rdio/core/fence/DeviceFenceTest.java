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

  private final TestNamespace namespace = new TestNamespace();

  private HostFence fence(ReservationType type) {
    return new DeviceFence(namespace.of("here"), HERE, type);
  }

  private HostFence fence() {
    return fence(ReservationType.WRITE_EXCLUSIVE);
  }

  @Test
  void writesOfTheHostThatHeldItAreRefusedAndOursAreNot() throws Exception {
    OwnReservation.take(namespace.of("dead"), DEAD);
    assertThat(namespace.takesWritesOf("here")).isFalse();
    assertThat(fence().isShutOut(DEAD)).isFalse();

    fence().shutOut(DEAD);

    assertThat(namespace.takesWritesOf("dead")).isFalse();
    assertThat(namespace.takesWritesOf("here")).isTrue();
    assertThat(fence().isShutOut(DEAD)).isTrue();
  }

  @Test
  void doneAgainItChangesNothing() throws Exception {
    OwnReservation.take(namespace.of("dead"), DEAD);
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
    OwnReservation.take(namespace.of("here"), HERE);
    isNotRegistered(() -> fence().requireRegistered(DEAD));

    namespace.of("dead").register(DEAD);
    fence().requireRegistered(DEAD);
  }

  /** Linux's target does not end its writes then: to say that it is shut out would be wrong. */
  @Test
  void whereThisHostHoldsItARegisteredHostIsNotSaidToBeShutOut() throws Exception {
    OwnReservation.take(namespace.of("here"), HERE);
    namespace.of("dead").register(DEAD);

    assertThatThrownBy(() -> fence().shutOut(DEAD))
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("still shows")
        .hasMessageContaining("fix:");
  }

  @Test
  void nobodyElseIsShutOutInPassing() throws Exception {
    OwnReservation.take(namespace.of("other"), OTHER);
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
    OwnReservation.take(namespace.of("here"), HERE);

    assertThatThrownBy(() -> fence().shutOut(HERE)).hasMessageContaining("own key");
    assertThat(namespace.takesWritesOf("here")).isTrue();
  }

  @Test
  void ownIsWhatThisHostHoldsAndNoOtherOneOfItsName() throws Exception {
    assertThat(fence().isOwn()).isFalse();
    OwnReservation.take(namespace.of("another machine"), HERE);
    assertThat(fence().isOwn()).isFalse();
    namespace.forget();
    OwnReservation.take(namespace.of("here"), HERE);
    assertThat(fence().isOwn()).isTrue();
    namespace.forget();
    Reservations unknown = namespace.of("");
    OwnReservation.take(unknown, HERE);
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
}
