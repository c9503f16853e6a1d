// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationException.Obstacle;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.TestNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Hosts of agents, and their DataNode's device (W8). */
final class AgentFencesTest {
  private static final Path ROOT = Path.of("/data/1");
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, "/dev/nvme0n1");
  private static final long OWN = HostKey.of("dn1");
  private static final long OTHER = HostKey.of("admin");
  private static final ReservationType FOR_ALL = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
  private static final long AGENT = AgentKey.name(1L << 20);
  private static final long KEY = AgentKey.next(AGENT);
  private static final long BUSY = AgentKey.next(AgentKey.name(1L << 21));

  private final TestNamespace namespace = new TestNamespace();
  private final ReservedVolumes volumes = volumes();
  private long now;

  private ReservedVolumes volumes() {
    return new ReservedVolumes(
        root -> DEVICE,
        device -> namespace.of("dn1"),
        new ReservedVolumes.Own(OWN, FOR_ALL, false),
        () -> now);
  }

  private void look() throws FallbackException {
    volumes.identify(ROOT);
  }

  private void isRefused(String why) {
    assertThatThrownBy(() -> volumes.registered(ROOT, DEVICE, AGENT))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED))
        .hasMessageContaining(why);
  }

  @Test
  void hostIsFoundByTheNameOfItsAgent() throws Exception {
    isRefused("was not looked at yet");
    assertThat(volumes.unfenced(ROOT)).contains("was not looked at yet");
    look();

    assertThat(volumes.unfenced(ROOT)).isNull();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).isEmpty();
    namespace.of("agent").register(KEY);
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(KEY);
    assertThat(volumes.registered(ROOT, DEVICE, KEY)).isEmpty();
    assertThat(volumes.registered(ROOT, DEVICE, 0)).isEmpty();
  }

  @Test
  void hostIsShutOutAndOthersWriteOn() throws Exception {
    look();
    namespace.of("agent").register(KEY);
    namespace.of("busy").register(BUSY);

    volumes.shutOut(ROOT, DEVICE, KEY);

    assertThat(namespace.takesWritesOf("agent")).isFalse();
    assertThat(namespace.takesWritesOf("busy")).isTrue();
    assertThat(namespace.takesWritesOf("dn1")).isTrue();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).isEmpty();

    volumes.shutOut(ROOT, DEVICE, KEY);
    namespace.of("agent").register(KEY + 1);
    volumes.shutOut(ROOT, DEVICE, KEY);
    assertThat(namespace.takesWritesOf("agent")).as("registered anew").isTrue();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(KEY + 1);
  }

  /** A plugin that is started anew shuts out by what it finds in the names of slots. */
  @Test
  void restartTakesNothingFromAnybody() throws Exception {
    look();
    namespace.of("agent").register(KEY);
    ReservedVolumes next = volumes();
    next.identify(ROOT);
    assertThat(namespace.takesWritesOf("agent")).isTrue();
    assertThat(next.registered(ROOT, DEVICE, AGENT)).hasValue(KEY);

    next.shutOut(ROOT, DEVICE, KEY);

    assertThat(namespace.takesWritesOf("agent")).isFalse();
  }

  @Test
  void targetThatForgotIsReservedAgainBeforeAnythingIsLent() throws Exception {
    look();
    namespace.of("agent").register(KEY);
    namespace.forget();

    isRefused("is not reserved for this host and its agents now");
    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY))
        .hasMessageContaining("is not held by this host");

    look();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).isEmpty();
    volumes.shutOut(ROOT, DEVICE, KEY);
    assertThat(namespace.takesWritesOf("agent")).isFalse();
  }

  @Test
  void hostThatIsFencedOffItselfLendsAndShutsOutNothing() throws Exception {
    look();
    namespace.of("agent").register(KEY);
    new DeviceFence(namespace.of("admin"), OTHER, ReservationType.WRITE_EXCLUSIVE).shutOut(OWN);

    isRefused("is not reserved for this host and its agents now");
    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY)).isInstanceOf(IOException.class);
    assertThat(namespace.takesWritesOf("admin")).isTrue();
    assertThat(namespace.takesWritesOf("dn1")).isFalse();
    assertThatThrownBy(this::look).isInstanceOf(FallbackException.class);
    assertThat(volumes.unfenced(ROOT)).contains("shut this one out");
  }

  /** 'rdio fence' of this very host makes it its own alone: it lets its agents in again. */
  @Test
  void kindThatThisHostChangedIsChangedBack() throws Exception {
    look();
    namespace.take("dn1", OWN);
    isRefused("is not reserved for this host and its agents now");

    look();

    assertThat(volumes.unfenced(ROOT)).isNull();
    namespace.of("agent").register(KEY);
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(KEY);
  }

  @Test
  void whereThereAreNoReservationsNobodyNeedRegister() throws Exception {
    namespace.unsupported();
    look();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(AgentFences.NOBODY);
    assertThat(volumes.unfenced(ROOT)).contains("takes no reservations");
    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY))
        .isInstanceOfSatisfying(
            ReservationException.class,
            e -> assertThat(e.obstacle()).isEqualTo(Obstacle.UNSUPPORTED));
  }

  @Test
  void whereThereAreReservationsLaterHostsHaveToRegister() throws Exception {
    namespace.unsupported();
    look();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(AgentFences.NOBODY);
    namespace.supported();
    now += VolumeReservation.FIRST_PAUSE.toNanos();

    look();

    assertThat(volumes.unfenced(ROOT)).isNull();
    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).isEmpty();
  }

  /** Reserved at an earlier start, as root: who lent then could shut nobody out again. */
  @Test
  void processThatMayNotShutAnybodyOutLendsNothing() throws Exception {
    look();
    namespace.of("agent").register(KEY);
    namespace.readersOnly();
    ReservedVolumes next = volumes();
    next.identify(ROOT);

    assertThatThrownBy(() -> next.registered(ROOT, DEVICE, AGENT))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED))
        .hasMessageContaining("Operation not permitted");
    assertThat(next.unfenced(ROOT)).contains("Operation not permitted");
    assertThatThrownBy(() -> next.shutOut(ROOT, DEVICE, KEY - 1)).isInstanceOf(IOException.class);
  }

  /** Its path may be back in a moment: it is not known whether anybody could be shut out. */
  @Test
  void deviceThatDoesNotAnswerIsNotLentFrom() throws Exception {
    look();
    namespace.reachable(false);
    isRefused("no path");
    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY)).hasMessageContaining("no path");
  }

  @Test
  void noDeviceThatIsNotReservedFencesAnybody() throws Exception {
    AgentFences none = new NoFences();
    assertThat(none.unfenced(ROOT)).isNotBlank();
    assertThat(none.registered(ROOT, DEVICE, AGENT)).hasValue(AgentFences.NOBODY);
    assertThatThrownBy(() -> none.shutOut(ROOT, DEVICE, KEY))
        .isInstanceOf(ReservationException.class);
  }

  /** An answer that was lost: what it was about may not be over yet. */
  @Test
  void hostThatIsGoneAlreadyIsAskedAboutBehindAnotherCommand() throws Exception {
    look();
    int[] commands = new int[1];
    ReservedVolumes counting =
        new ReservedVolumes(
            root -> DEVICE,
            device ->
                namespace.of(
                    "dn1",
                    (count, behind) -> {
                      if (!behind) {
                        commands[0]++;
                      }
                    }),
            new ReservedVolumes.Own(OWN, FOR_ALL, false),
            () -> now);

    counting.shutOut(ROOT, DEVICE, KEY);

    assertThat(commands[0]).as("report, register, report").isEqualTo(3);
  }
}
