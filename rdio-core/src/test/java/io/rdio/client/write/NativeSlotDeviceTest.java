// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.device.DevicePlace;
import io.rdio.core.extent.ExtentList;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.write.DeviceOpenException;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.ImageWriters;
import io.rdio.nativeio.write.WriteEnd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices by the library, on images: the right one, and nothing but the slot. */
final class NativeSlotDeviceTest {
  private static final int UNIT = 4096;
  private static final int BYTES = 64 * UNIT;
  private static final ExtentList EXTENTS =
      ExtentList.of(new long[] {40 * UNIT, 20 * UNIT}, new long[] {2 * UNIT, 3 * UNIT});

  @TempDir Path directory;
  private SlotImage image;

  @BeforeEach
  void make() throws IOException {
    assertThat(NativeLibrary.availability().isAvailable()).isTrue();
    image = image(0);
  }

  private SlotImage image(int start) throws IOException {
    return new SlotImage(directory.resolve("image" + start), start, BYTES, new Random(start));
  }

  private static long inMinutes(int minutes) {
    return DirectReader.bootTimeNanos() + Duration.ofMinutes(minutes).toNanos();
  }

  private static FallbackReason refusal(DevicePlace place, DeviceIdentity identity) {
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class,
            () -> NativeSlotDevice.open(place, identity, ImageWriters::open));
    assertThat(refusal).isNotNull();
    return refusal.reason();
  }

  private DeviceIdentity identity(String type, UUID uuid, long bytes) {
    return new DeviceIdentity(type, uuid, bytes, "", 0, "there");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8 * UNIT})
  void writesTheSlotWhereverTheVolumeStarts(int start) throws Exception {
    SlotImage volume = image(start);
    volume.stamp(EXTENTS, 3, 4, UNIT);
    volume.save();
    SlotDevice device = NativeSlotDevice.open(volume.place, volume.identity, ImageWriters::open);
    SlotLease lease = device.lease(EXTENTS, UNIT, inMinutes(5));
    ByteBuffer bytes = WritersFixture.bytes(3 * UNIT + 1, 5);
    ByteBuffer stamps = WritersFixture.bytes(2 * UNIT, 6);

    assertThat(lease.write(0, WritersFixture.address(bytes), UNIT, false)).isNegative(); // W12
    assertThat(lease.readStamps(stamps, UNIT)).isEqualTo(2);
    assertThat(lease.write(0, WritersFixture.address(bytes), 3 * UNIT + 1, true)).isZero();
    assertThat(lease.renew(inMinutes(6))).isZero();
    assertThat(device.flush()).isZero();
    assertThatThrownBy(device::close).isInstanceOf(IOException.class);
    assertThat(lease.end(0)).isEqualTo(WriteEnd.CLEAN);
    device.close();

    for (int i = 0; i < 4 * UNIT; i++) {
      volume.model[volume.place(EXTENTS, i)] = i < bytes.limit() ? bytes.get(i) : 0;
    }
    assertThat(volume.read()).isEqualTo(volume.model);
    byte[] stamp = new byte[UNIT];
    stamps.get(0, stamp);
    assertThat(stamp).startsWith((byte) 'R', (byte) 'D', (byte) 'I', (byte) 'O');
  }

  /** W13: whatever it is asked for, the library changes nothing outside of the slot. */
  @Test
  void rangesOutsideOfTheSlotAreRefused() throws Exception {
    SlotDevice device = NativeSlotDevice.open(image.place, image.identity, ImageWriters::open);
    SlotLease lease = device.lease(EXTENTS, UNIT, inMinutes(5));
    ByteBuffer bytes = WritersFixture.bytes(6 * UNIT, 5);
    assertThat(lease.readStamps(WritersFixture.bytes(2 * UNIT, 6), UNIT)).isEqualTo(2);
    long address = WritersFixture.address(bytes);

    assertThat(lease.write(5 * UNIT, address, UNIT, false)).isNegative();
    assertThat(lease.write(0, address, 6 * UNIT, false)).isNegative();
    assertThat(lease.write(-UNIT, address, UNIT, false)).isNegative();
    assertThat(lease.write(512, address, UNIT, false)).isNegative();
    assertThat(lease.write(0, address, 10, false)).isNegative();
    assertThat(image.read()).isEqualTo(image.model);
    lease.end(0);
    device.close();
  }

  @Test
  void anotherVolumeOfTheSameSizeIsNotWrittenTo() {
    assertThat(refusal(image.place, identity("ext4", UUID.randomUUID(), BYTES)))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
    assertThat(refusal(image.place, identity("xfs", image.identity.fsUuid(), BYTES)))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
  }

  @Test
  void deviceOfAnotherSizeIsNotWrittenTo() throws Exception {
    UUID uuid = image.identity.fsUuid();
    assertThat(refusal(image.place, identity("ext4", uuid, BYTES + UNIT)))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
    assertThat(refusal(image.place, identity("ext4", uuid, BYTES - UNIT)))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
    SlotImage partition = image(8 * UNIT);
    assertThat(refusal(new DevicePlace(partition.file, 16 * UNIT), partition.identity))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
  }

  @Test
  void wrongStartOfThePartitionShows() throws Exception {
    SlotImage partition = new SlotImage(directory.resolve("disk"), 8 * UNIT, BYTES, new Random(7));
    assertThat(refusal(new DevicePlace(partition.file, 4 * UNIT), partition.identity))
        .isEqualTo(FallbackReason.DEVICE_MISMATCH);
  }

  @Test
  void leavesNothingOpenThatItRefuses() throws Exception {
    DeviceWriter[] opened = new DeviceWriter[1];
    assertThatThrownBy(
            () ->
                NativeSlotDevice.open(
                    image.place,
                    identity("ext4", UUID.randomUUID(), BYTES),
                    node -> opened[0] = ImageWriters.open(node)))
        .isInstanceOf(FallbackException.class);
    assertThat(opened[0].flush()).as("closed").isNegative();
  }

  @Test
  void saysWhyItCannotBeOpened() {
    DevicePlace nowhere = new DevicePlace(directory.resolve("nowhere"), 0);
    assertThat(refusal(nowhere, image.identity)).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);

    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class,
            () -> NativeSlotDevice.open(image.place, image.identity, DeviceWriter::open));
    assertThat(refusal.reason()).isEqualTo(FallbackReason.DEVICE_NOT_FOUND);
    assertThat(refusal.detail()).contains(image.file.toString()).contains("ENOTBLK");
  }

  /** What is wrong with this process, or this host, is not said of the device. */
  @ParameterizedTest
  @CsvSource({
    "13, DEVICE_PERMISSION",
    "1, DEVICE_PERMISSION",
    "30, DEVICE_PERMISSION",
    "16, DEVICE_PERMISSION",
    "6, DEVICE_NOT_FOUND",
    "19, DEVICE_NOT_FOUND",
    "116, DEVICE_MISMATCH",
    "5, DEVICE_IO_ERROR",
    "110, DEVICE_IO_ERROR",
    "24, AGENT_BUSY",
    "23, AGENT_BUSY",
    "12, AGENT_BUSY",
    "11, AGENT_BUSY",
    "95, AGENT_UNAVAILABLE"
  })
  void eachErrorOfAnOpenHasItsReason(int errno, FallbackReason reason) {
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class,
            () ->
                NativeSlotDevice.open(
                    image.place,
                    image.identity,
                    node -> {
                      throw new DeviceOpenException("why", errno);
                    }));
    assertThat(refusal.reason()).isEqualTo(reason);
    assertThat(refusal.detail()).isEqualTo("why");
  }

  @Test
  void processThatHasAsManyOpenAsItCanIsBusy() throws Exception {
    List<SlotDevice> open = new ArrayList<>();
    try {
      FallbackException refusal = null;
      while (refusal == null && open.size() < 1000) {
        try {
          open.add(NativeSlotDevice.open(image.place, image.identity, ImageWriters::open));
        } catch (FallbackException e) {
          refusal = e;
        }
      }
      assertThat(open).hasSizeGreaterThan(200);
      assertThat(refusal).isNotNull();
      assertThat(refusal.reason()).isEqualTo(FallbackReason.AGENT_BUSY);
      assertThat(refusal.detail()).contains("as many devices open for writing");
      open.remove(0).close();
      open.add(NativeSlotDevice.open(image.place, image.identity, ImageWriters::open));
    } finally {
      for (SlotDevice device : open) {
        device.close();
      }
    }
  }

  @Test
  void slotThatCannotBeOnTheDeviceGetsNoLease() throws Exception {
    SlotDevice device = NativeSlotDevice.open(image.place, image.identity, ImageWriters::open);
    ExtentList beyond = ExtentList.of(new long[] {BYTES}, new long[] {UNIT});
    assertThatThrownBy(() -> device.lease(beyond, UNIT, inMinutes(5)))
        .isInstanceOf(IOException.class);
    device.close();
  }
}
