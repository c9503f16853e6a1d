// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.AgentKey;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.OwnReservation;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.TestNamespace;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A volume that is mounted anew by another name of its device, while another namespace of the same
 * DataNode has the old one: who is registered there by the same key is not shut out.
 */
final class RenamedDeviceTest {
  private static final Path ROOT = Path.of("/data/1");
  private static final String BEFORE = "/dev/nvme0n1";
  private static final String AFTER = "/dev/nvme7n1";
  private static final DeviceIdentity DEVICE = device(BEFORE);
  private static final long OWN = HostKey.of("dn1");
  private static final ReservationType FOR_ALL = ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS;
  private static final long AGENT = AgentKey.name(1L << 20);

  /** The first key of an agent's process, which is the same on each device. */
  private static final long KEY = AgentKey.next(AGENT);

  private final TestNamespace meant = new TestNamespace();
  private final TestNamespace other = new TestNamespace();
  private final NamedNamespaces host = new NamedNamespaces("dn1");
  private DeviceIdentity mounted = DEVICE;
  private final ReservedVolumes volumes =
      new ReservedVolumes(
          root -> mounted,
          device -> ReservedVolumes.byName(host, device),
          new ReservedVolumes.Own(OWN, FOR_ALL, false),
          () -> 0);

  private static DeviceIdentity device(String name) {
    return new DeviceIdentity("ext4", new UUID(1, 2), 4096, "uuid.1", 0, name);
  }

  @BeforeEach
  void registerWithBoth() throws Exception {
    host.name(BEFORE, "uuid.1", meant);
    volumes.identify(ROOT);
    OwnReservation.take(other.of("dn1"), OWN, FOR_ALL);
    meant.of("agent").register(KEY);
    other.of("agent").register(KEY);
  }

  private void rename() {
    host.name(BEFORE, "uuid.2", other);
    host.name(AFTER, "uuid.1", meant);
  }

  private void shutsNobodyOut() {
    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY))
        .isInstanceOf(ReservationException.class)
        .hasMessageContaining("is another namespace");
    assertThat(meant.takesWritesOf("agent")).isTrue();
    assertThat(other.takesWritesOf("agent")).isTrue();
  }

  @Test
  void nobodyIsShutOutOfWhateverHasItsName() throws Exception {
    rename();

    shutsNobodyOut();
    assertThatThrownBy(() -> volumes.registered(ROOT, DEVICE, AGENT))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.WRITE_UNFENCED))
        .hasMessageContaining("is another namespace");
  }

  /** Absent there, it would seem to be shut out already, and the slot would be free. */
  @Test
  void keyThatIsMissingElsewhereProvesNothing() throws Exception {
    other.of("agent").unregister(KEY);
    rename();

    assertThatThrownBy(() -> volumes.shutOut(ROOT, DEVICE, KEY))
        .isInstanceOf(ReservationException.class);
  }

  @Test
  void nameThatChangesWhileItIsOpenedIsSeen() throws Exception {
    host.beforeOpen = this::rename;

    shutsNobodyOut();
  }

  /** By whoever still has its old name in hand. */
  @Test
  void hostIsShutOutOfTheDeviceWhenItsNewNameIsKnown() throws Exception {
    rename();
    mounted = device(AFTER);
    volumes.identify(ROOT);

    assertThat(volumes.registered(ROOT, DEVICE, AGENT)).hasValue(KEY);
    volumes.shutOut(ROOT, DEVICE, KEY);

    assertThat(meant.takesWritesOf("agent")).isFalse();
    assertThat(other.takesWritesOf("agent")).isTrue();
  }

  /** What is mounted there now is not what the slot lies on. */
  @Test
  void nameOfAnotherVolumeIsNotTaken() throws Exception {
    rename();
    mounted = new DeviceIdentity("ext4", new UUID(3, 4), 4096, "uuid.2", 0, BEFORE);
    volumes.identify(ROOT);

    shutsNobodyOut();
  }
}
