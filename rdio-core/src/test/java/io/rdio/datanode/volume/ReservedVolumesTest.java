// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.TestNamespace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** The reservation of a volume's device, from one look at it to the next. */
final class ReservedVolumesTest {
  private static final Path ROOT = Path.of("/data/1");
  private static final DeviceIdentity DEVICE =
      new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, "/dev/nvme0n1");
  private static final DeviceIdentity REPLACED =
      new DeviceIdentity("ext4", new UUID(3, 4), 4096, "uuid.2", 0, "/dev/nvme1n1");
  private static final long OWN = HostKey.of("dn1");
  private static final long OTHER = HostKey.of("admin");

  private final TestNamespace namespace = new TestNamespace();
  private long now;

  private ReservedVolumes volumes(boolean required) {
    return new ReservedVolumes(
        root -> DEVICE, device -> namespace.of("dn1"), alone(required), () -> now);
  }

  private static ReservedVolumes.Own alone(boolean required) {
    return new ReservedVolumes.Own(OWN, ReservationType.WRITE_EXCLUSIVE, required);
  }

  private void fence() throws IOException {
    new DeviceFence(namespace.of("admin"), OTHER, ReservationType.WRITE_EXCLUSIVE).shutOut(OWN);
  }

  private static void isRefused(ReservedVolumes volumes, String detail) {
    assertThatThrownBy(() -> volumes.identify(ROOT))
        .asInstanceOf(type(FallbackException.class))
        .extracting(FallbackException::reason)
        .isEqualTo(FallbackReason.VOLUME_UNFENCED);
    assertThat(volumes.obstacle(ROOT)).isNotNull().hasMessageContaining(detail);
    assertThat(volumes.fence(ROOT)).isNotNull().extracting(FenceStatus::held).isEqualTo(false);
  }

  private static void isHeld(ReservedVolumes volumes) throws FallbackException {
    assertThat(volumes.identify(ROOT)).isEqualTo(DEVICE);
    assertThat(volumes.obstacle(ROOT)).isNull();
    assertThat(volumes.fence(ROOT)).isNotNull().extracting(FenceStatus::held).isEqualTo(true);
  }

  @Test
  void isTakenAtTheFirstLook() throws Exception {
    ReservedVolumes volumes = volumes(true);
    assertThat(volumes.fence(ROOT)).isNull();

    isHeld(volumes);

    assertThat(namespace.takesWritesOf("admin")).isFalse();
  }

  @Test
  void isStillThereForTheNextStart() throws Exception {
    isHeld(volumes(true));
    isHeld(volumes(true));
  }

  @Test
  void targetWithoutReservationsIsGrantedOnUnlessTheyAreRequired() throws Exception {
    namespace.unsupported();
    ReservedVolumes wished = volumes(false);

    assertThat(wished.identify(ROOT)).isEqualTo(DEVICE);
    assertThat(wished.obstacle(ROOT)).isNull();
    assertThat(wished.fence(ROOT))
        .isEqualTo(new FenceStatus(false, "namespace: takes no reservations"));
    isRefused(volumes(true), "takes no reservations");
  }

  /** Its namespace was made anew, say, as one that has them. */
  @Test
  void targetThatTakesReservationsLaterIsReservedThen() throws Exception {
    namespace.unsupported();
    ReservedVolumes volumes = volumes(true);
    isRefused(volumes, "takes no reservations");
    namespace.supported();
    now += VolumeReservation.FIRST_PAUSE.toNanos() - 1;
    isRefused(volumes, "takes no reservations");

    now += 1;

    isHeld(volumes);
    assertThat(namespace.takesWritesOf("admin")).isFalse();
    namespace.forget();
    isHeld(volumes);
  }

  @Test
  void targetWithoutReservationsIsAskedNowAndThen() throws Exception {
    namespace.unsupported();
    AtomicInteger asked = new AtomicInteger();
    ReservedVolumes volumes =
        new ReservedVolumes(
            root -> DEVICE,
            device -> {
              asked.incrementAndGet();
              return namespace.of("dn1");
            },
            alone(false),
            () -> now);
    for (int second = 0; second < 3600; second++) {
      assertThat(volumes.identify(ROOT)).isEqualTo(DEVICE);
      now += TimeUnit.SECONDS.toNanos(1);
    }
    assertThat(asked).hasValueBetween(12, 20);
  }

  @Test
  void anotherHostsIsNotTakenAwayFromIt() throws Exception {
    namespace.take("admin", OTHER);

    assertThatCode(() -> volumes(false).identify(ROOT)).doesNotThrowAnyException();
    isRefused(volumes(true), "another host");

    assertThat(namespace.takesWritesOf("admin")).isTrue();
  }

  @Test
  void hostThatWasShutOutGrantsNothingThoughItIsOnlyWished() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    fence();

    isRefused(volumes, "shut this one out");
  }

  /** The other host may have changed the file system, which this one has in memory. */
  @Test
  void hostThatWasShutOutTakesNothingBackByItself() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    fence();
    isRefused(volumes, "shut this one out");

    OwnReservation.release(namespace.of("admin"), OTHER);

    isRefused(volumes, "shut this one out");
    assertThat(namespace.of("admin").report().registrants()).isEmpty();
  }

  /** Between two looks: nobody has the device when this host looks again. */
  @Test
  void evenIfItSawNothingOfIt() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    fence();
    OwnReservation.release(namespace.of("admin"), OTHER);

    isRefused(volumes, "shut this one out");
  }

  /** A volume that was taken out of HDFS and replaced. */
  @Test
  void anotherFileSystemInItsPlaceHasItsOwn() throws Exception {
    AtomicReference<DeviceIdentity> mounted = new AtomicReference<>(DEVICE);
    TestNamespace another = new TestNamespace();
    ReservedVolumes volumes =
        new ReservedVolumes(
            root -> mounted.get(),
            device -> (device.equals(DEVICE) ? namespace : another).of("dn1"),
            alone(false),
            () -> now);
    assertThat(volumes.identify(ROOT)).isEqualTo(DEVICE);
    fence();
    isRefused(volumes, "shut this one out");

    mounted.set(REPLACED);

    assertThat(volumes.identify(ROOT)).isEqualTo(REPLACED);
    assertThat(volumes.obstacle(ROOT)).isNull();
  }

  @Test
  void targetThatForgotIsReservedAgain() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    namespace.forget();

    isHeld(volumes);

    assertThat(namespace.takesWritesOf("admin")).isFalse();
  }

  /**
   * Another host shut it out and wrote while the target was away; then the target has forgotten.
   */
  @Test
  void targetThatForgotTooLongAgoIsNotReservedAgain() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    namespace.reachable(false);
    now += VolumeReservation.BELIEVED_NANOS;
    assertThat(volumes.identify(ROOT)).isEqualTo(DEVICE);
    fenceUnreached();
    namespace.forget();
    now += 1;

    isRefused(volumes, "has forgotten the reservation");
    assertThat(namespace.takesWritesOf("admin")).isTrue();
    isRefused(volumes, "fix: if none has, start the DataNode anew");
    isHeld(volumes(false));
  }

  /** The command that takes it again comes late. */
  @Test
  void reservationThatWasTakenAgainTooLateIsGivenUp() throws Exception {
    AtomicReference<Runnable> behind = new AtomicReference<>(() -> {});
    ReservedVolumes volumes =
        new ReservedVolumes(
            root -> DEVICE,
            device -> namespace.of("dn1", (count, after) -> behind.get().run()),
            alone(false),
            () -> now);
    isHeld(volumes);
    namespace.forget();
    behind.set(() -> now += TimeUnit.SECONDS.toNanos(4));

    isRefused(volumes, "has forgotten the reservation");
    assertThat(namespace.of("admin").report().registrants()).isEmpty();
  }

  /** The command's answer is lost: it may come to the target when others have been there. */
  @Test
  void reservationThatMayHaveBeenTakenAgainTooLateIsNotBelieved() throws Exception {
    AtomicReference<TestNamespace.Interruption> then = new AtomicReference<>((count, after) -> {});
    ReservedVolumes volumes =
        new ReservedVolumes(
            root -> DEVICE,
            device -> namespace.of("dn1", (count, after) -> then.get().at(count, after)),
            alone(false),
            () -> now);
    isHeld(volumes);
    namespace.forget();
    then.set((count, after) -> namespace.reachable(count < 4));

    isRefused(volumes, "has forgotten the reservation");

    then.set((count, after) -> namespace.reachable(true));
    assertThat(namespace.takesWritesOf("admin")).as("it was taken").isFalse();
    isRefused(volumes, "no path");
  }

  private void fenceUnreached() throws IOException {
    namespace.reachable(true);
    fence();
  }

  @Test
  void isBelievedForAWhileWhereItCannotBeReadBack() throws Exception {
    ReservedVolumes volumes = volumes(false);
    isHeld(volumes);
    namespace.reachable(false);
    now += VolumeReservation.BELIEVED_NANOS;
    assertThat(volumes.identify(ROOT)).isEqualTo(DEVICE);

    now += 1;
    assertThat(volumes.obstacle(ROOT)).isNotNull().hasMessageContaining("15 s ago");
    isRefused(volumes, "no path");

    namespace.reachable(true);
    isHeld(volumes);
  }

  /** What was read back counts from before it was asked for. */
  @Test
  void slowAnswerIsOldWhenItComes() throws Exception {
    ReservedVolumes volumes =
        new ReservedVolumes(
            root -> DEVICE,
            device ->
                namespace.of(
                    "dn1",
                    (count, behind) -> {
                      if (behind) {
                        now += TimeUnit.SECONDS.toNanos(6);
                      }
                    }),
            alone(false),
            () -> now);

    isRefused(volumes, "read back");
  }
}
