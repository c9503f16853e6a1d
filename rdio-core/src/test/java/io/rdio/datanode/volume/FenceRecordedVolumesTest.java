// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.fence.DeviceFence;
import io.rdio.core.fence.FenceRecords;
import io.rdio.core.fence.HostKey;
import io.rdio.core.fence.RecordedFence;
import io.rdio.core.fence.ReservationException;
import io.rdio.core.fence.ReservationType;
import io.rdio.core.fence.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a DataNode of the host "here" opens a volume that it takes over from the host "dead". */
final class FenceRecordedVolumesTest {
  private static final String WWID = "uuid.1";
  private static final Path VOLUME = Path.of("/data/1");

  @TempDir Path folder;
  private final TestNamespace namespace = new TestNamespace();
  private FenceRecords records;

  @BeforeEach
  void reserve() throws IOException {
    records = new FenceRecords(folder);
    namespace.take("dead", HostKey.of("dead"));
  }

  private RecordedFence fence() {
    DeviceFence device =
        new DeviceFence(namespace.of("here"), HostKey.of("here"), ReservationType.WRITE_EXCLUSIVE);
    return new RecordedFence(records, device, "dead", WWID, "here", Clock.systemUTC());
  }

  private void open(String wwid) throws FallbackException {
    VolumeIdentifier devices =
        root -> new DeviceIdentity("ext4", new UUID(1, 2), 4096, wwid, 0, "/dev/nvme0n1");
    new FenceRecordedVolumes(devices, devices, records).requireFenced(VOLUME);
  }

  private void isRefused(String state) throws FallbackException {
    assertThatThrownBy(() -> open(WWID))
        .hasMessageContaining("dead is not shut out of its device (" + state + " since ")
        .hasMessageContaining("fix: repeat 'rdio fence dead'")
        .asInstanceOf(type(FallbackException.class))
        .extracting(FallbackException::reason)
        .isEqualTo(FallbackReason.VOLUME_UNFENCED);
    open("uuid.2");
  }

  @Test
  void volumeIsOpenedOnceItsHostIsShutOut() throws Exception {
    fence().shutOut();
    isRefused("FENCING");

    fence().confirm();

    open(WWID);
  }

  /** The target forgot, and the host is only cut off: a repeat has seen that it may write. */
  @Test
  void volumeWhoseFenceIsKnownToBeLostIsRefused() throws Exception {
    fence().shutOut();
    fence().confirm();
    namespace.forget();

    assertThatThrownBy(() -> fence().shutOut()).isInstanceOf(ReservationException.class);

    isRefused("LOST");
    namespace.take("dead", HostKey.of("dead"));
    fence().shutOut();
    fence().confirm();
    open(WWID);
  }

  /** The target forgot before anybody asked. */
  @Test
  void volumeOfAHostThatWasNotRegisteredIsRefused() throws Exception {
    namespace.forget();

    assertThatThrownBy(() -> fence().shutOut()).isInstanceOf(ReservationException.class);

    isRefused("RECALLED");
    records.remove("dead", WWID);
    open(WWID);
  }

  /** As one of a newer RDIO does: it is not known then what is shut out. */
  @Test
  void volumeIsRefusedWhereARecordMakesNoSense() throws Exception {
    fence().shutOut();
    fence().confirm();
    Path file = folder.resolve("dead@uuid.1.fence");
    Files.writeString(file, Files.readString(file).replace("fenced", "shunned"));

    assertThatThrownBy(() -> open("uuid.2")).hasMessageContaining(file.toString());
  }
}
