// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.Errno;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.WriteLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The binding on a regular file, and what it says of errors; what the calls do is tested in C. */
final class DeviceWriterTest {
  private static final int UNIT = 4096;
  private static final SlotExtents SLOT =
      new SlotExtents(new long[] {4 * UNIT, UNIT}, new long[] {2 * UNIT, UNIT}, UNIT);

  @TempDir Path directory;
  private Path image;
  private DeviceWriter writer;

  @BeforeEach
  void open() throws Exception {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    image = Files.write(directory.resolve("image"), new byte[8 * UNIT]);
    writer = DeviceWriter.open(image.toString(), WriteCalls.IMAGE);
  }

  @AfterEach
  void close() throws Exception {
    writer.close();
    writer.close();
    assertThat(writer.flush()).isNegative();
  }

  private static long inMinutes(int minutes) {
    return DirectReader.bootTimeNanos() + TimeUnit.MINUTES.toNanos(minutes);
  }

  private static ByteBuffer filled(int bytes, int value) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes + 2 * UNIT).alignedSlice(UNIT);
    buffer.limit(bytes);
    for (int i = 0; i < bytes; i++) {
      buffer.put(i, (byte) value);
    }
    return buffer;
  }

  @Test
  void libraryComesFromTheJar() {
    assertThat(WriteLibrary.availability().toString())
        .startsWith("librdio-write loaded from META-INF/native/linux-")
        .endsWith("/librdio-write.so of the jar");
  }

  @Test
  void writesWhereTheExtentsAreAndFillsTheLastUnit() throws Exception {
    assertThat(writer.sizeBytes()).isEqualTo(8 * UNIT);
    assertThat(writer.blockBytes()).isEqualTo(UNIT);
    long lease = writer.lease(SLOT, inMinutes(5));
    ByteBuffer stamps = filled(3 * UNIT, 9).position(UNIT);

    assertThat(writer.readStamps(lease, stamps, UNIT)).isEqualTo(2);
    assertThat(stamps.hasRemaining()).isFalse();
    assertThat(stamps.get(UNIT - 1)).isEqualTo((byte) 9);
    assertThat(stamps.get(UNIT)).isZero();
    assertThat(writer.write(lease, 0, filled(UNIT, 1), false)).isZero();
    assertThat(writer.renew(lease, inMinutes(10))).isZero();
    assertThat(writer.write(lease, UNIT, filled(UNIT + 10, 2), true)).isZero();
    assertThat(writer.flush()).isZero();
    assertThat(writer.end(lease, 0)).isEqualTo(WriteEnd.CLEAN);

    byte[] expected = new byte[8 * UNIT];
    Arrays.fill(expected, 4 * UNIT, 5 * UNIT, (byte) 1);
    Arrays.fill(expected, 5 * UNIT, 6 * UNIT, (byte) 2);
    Arrays.fill(expected, UNIT, UNIT + 10, (byte) 2);
    assertThat(Files.readAllBytes(image)).isEqualTo(expected);
    ByteBuffer read = filled(UNIT, 0);
    assertThat(writer.read(DirectReader.addressOf(read), UNIT, UNIT)).isEqualTo(UNIT);
    assertThat(read.get(9)).isEqualTo((byte) 2);
    assertThat(read.get(10)).isZero();
  }

  @Test
  void leasesKeepItOpen() throws Exception {
    long lease = writer.lease(SLOT, inMinutes(5));

    assertThatThrownBy(writer::close).isInstanceOf(IOException.class).hasMessageContaining("end");
    assertThat(writer.end(lease, 0)).isEqualTo(WriteEnd.CLEAN);
    assertThatThrownBy(() -> writer.end(lease, 0)).isInstanceOf(IllegalStateException.class);
    assertThat(writer.renew(lease, inMinutes(5))).isNegative();
  }

  @Test
  void failedWriteShowsAtTheEnd() throws Exception {
    long lease = writer.lease(SLOT, inMinutes(5));
    assertThat(writer.readStamps(lease, filled(2 * UNIT, 0), UNIT)).isEqualTo(2);
    // An address that is nobody's: EFAULT.
    int error = writer.write(lease, 0, 16L * UNIT, UNIT, false);

    assertThat(DeviceWriter.text(error)).startsWith("EFAULT");
    assertThat(writer.end(lease, 0)).isEqualTo(WriteEnd.FAILED);
  }

  @Test
  void errorsSayWhatIsWrong() throws Exception {
    long lease = writer.lease(SLOT, inMinutes(5));

    assertThat(error(lease, 0, UNIT)).startsWith("EPERM: the stamps");
    assertThat(writer.readStamps(lease, ByteBuffer.allocate(2 * UNIT), UNIT)).isNegative();
    assertThat(writer.readStamps(lease, filled(2 * UNIT, 0), UNIT)).isEqualTo(2);
    assertThat(error(lease, 3 * UNIT, UNIT)).startsWith("ERANGE");
    assertThat(error(lease, -UNIT, UNIT)).startsWith("EINVAL");
    assertThat(error(lease, 0, UNIT - 1)).startsWith("EINVAL");
    assertThat(writer.write(lease, 0, ByteBuffer.allocate(UNIT), false)).isNegative();
    assertThat(writer.renew(lease, 1)).isEqualTo(-DeviceWriter.ETIME);
    assertThat(error(lease + 1, 0, UNIT)).startsWith("ENOENT");
    assertThat(writer.end(lease, 0)).isEqualTo(WriteEnd.CLEAN);
    assertThat(Files.readAllBytes(image)).containsOnly(0);
  }

  private String error(long lease, long offset, int length) {
    return DeviceWriter.text(writer.write(lease, offset, filled(length, 1), false));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 4096, 1000, 5",
    "100, 4096, 4096, 5",
    "32768, 4096, 4096, 5",
    "9223372036854771712, 4096, 4096, 5",
    "0, -4096, 4096, 5",
    "0, 4096, 512, 5",
    "0, 4096, 4096, 0",
    "0, 4096, 4096, 61"
  })
  void refusesLeasesOfAnythingElse(long place, long length, int unit, int minutes) {
    SlotExtents slot = new SlotExtents(new long[] {place}, new long[] {length}, unit);

    assertThatThrownBy(() -> writer.lease(slot, inMinutes(minutes)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(image.toString());
  }

  @Test
  void refusesSlotsOfTooManyExtentsOrUnevenArrays() {
    SlotExtents many = new SlotExtents(new long[65], new long[65], UNIT);
    SlotExtents uneven = new SlotExtents(new long[2], new long[] {UNIT}, UNIT);
    SlotExtents none = new SlotExtents(new long[0], new long[0], UNIT);

    for (SlotExtents slot : new SlotExtents[] {many, uneven, none}) {
      assertThatThrownBy(() -> writer.lease(slot, inMinutes(5)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("EINVAL");
    }
  }

  /** Which says nothing of the device: callers have to tell it from what does. */
  @Test
  void leasesOfAProcessAreBounded() throws Exception {
    List<Long> leases = new ArrayList<>();
    try {
      assertThatThrownBy(
              () -> {
                while (leases.size() < 10_000) {
                  leases.add(writer.lease(SLOT, inMinutes(5)));
                }
              })
          .isInstanceOf(TooManyLeasesException.class)
          .hasMessageContaining("ENOSPC");
      assertThat(leases).hasSizeGreaterThan(1_000);
    } finally {
      leases.forEach(lease -> writer.end(lease, 0)); // or their timer kills this process
    }
  }

  @Test
  void opensDevicesOnly() {
    assertThatThrownBy(() -> DeviceWriter.open(image.toString()))
        .isInstanceOfSatisfying(
            DeviceOpenException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOTBLK))
        .hasMessageContaining("ENOTBLK");
    assertThatThrownBy(() -> DeviceWriter.open("/dev/null")).hasMessageContaining("ENOTBLK");
    assertThatThrownBy(() -> DeviceWriter.open("/nonexistent")).hasMessageContaining("ENOENT");
  }
}
