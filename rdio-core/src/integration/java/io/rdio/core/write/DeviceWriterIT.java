// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.LoopDevice;
import io.rdio.core.testing.Requirements;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.write.DeviceWriter;
import io.rdio.nativeio.write.SlotExtents;
import io.rdio.nativeio.write.WriteEnd;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes by chance on a loop device, against a copy in memory: not a byte changes elsewhere. */
@Tag("loop")
final class DeviceWriterIT {
  private static final int BYTES = 8 << 20;
  private static final int EXTENTS = 12;
  private static final int WRITES = 300;
  private static final int LONGEST = 2 << 20;

  private final Random random = new Random(20261126);
  private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * LONGEST).alignedSlice(64 << 10);

  @ParameterizedTest
  @CsvSource({"512, 512", "512, 4096", "4096, 4096", "512, 65536"})
  void changesNothingElse(int sector, int unit) throws Exception {
    Requirements.requireLoop("ext4");
    assertThat(NativeLibrary.availability().isAvailable()).isTrue();
    byte[] model = new byte[BYTES];
    random.nextBytes(model);
    List<Integer> slot = units(unit);
    for (int i = 0; i < EXTENTS; i++) {
      new SlotStamp(5, 6, i, unit).encode(ByteBuffer.wrap(model).position(slot.get(i * 4) * unit));
    }
    try (LoopDevice device = LoopDevice.create(BYTES, "--sector-size", Integer.toString(sector))) {
      Files.write(device.backingFile(), model);
      try (DeviceWriter writer = DeviceWriter.open(device.node().toString())) {
        assertThat(writer.blockBytes()).isEqualTo(sector);
        assertThat(writer.sizeBytes()).isEqualTo(BYTES);
        long lease = writer.lease(extents(slot, unit), inMinutes(10));
        showsItsStamps(writer, lease, unit);
        for (int i = 0; i < WRITES; i++) {
          writeSomething(writer, lease, slot, unit, model);
        }
        writeTheLast(writer, lease, slot, unit, model);
        assertThat(writer.flush()).isZero();
        assertThat(writer.end(lease, 0)).isEqualTo(WriteEnd.CLEAN);
      }
      assertThat(Files.readAllBytes(device.backingFile())).isEqualTo(model);
    }
  }

  /** Units of the device in the slot's order: runs of four, by chance and apart. */
  private List<Integer> units(int unit) {
    List<Integer> runs = new ArrayList<>();
    for (int i = 0; i < BYTES / unit / 8; i++) {
      runs.add(8 * i + 1);
    }
    Collections.shuffle(runs, random);
    List<Integer> units = new ArrayList<>();
    for (int run : runs.subList(0, EXTENTS)) {
      for (int i = 0; i < 4; i++) {
        units.add(run + i);
      }
    }
    return units;
  }

  private static SlotExtents extents(List<Integer> units, int unit) {
    long[] places = new long[EXTENTS];
    long[] lengths = new long[EXTENTS];
    for (int i = 0; i < EXTENTS; i++) {
      places[i] = (long) units.get(4 * i) * unit;
      lengths[i] = 4L * unit;
    }
    return new SlotExtents(places, lengths, unit);
  }

  private static long inMinutes(int minutes) {
    return DirectReader.bootTimeNanos() + TimeUnit.MINUTES.toNanos(minutes);
  }

  private void showsItsStamps(DeviceWriter writer, long lease, int unit) {
    memory.clear();
    assertThat(writer.readStamps(lease, memory, unit)).isEqualTo(EXTENTS);
    for (int i = 0; i < EXTENTS; i++) {
      ByteBuffer shown = memory.slice(i * unit, unit);
      assertThat(new SlotStamp(5, 6, i, unit).isShownBy(shown)).isTrue();
    }
  }

  /** Right ranges, and as often wrong ones, which change nothing. */
  private void writeSomething(
      DeviceWriter writer, long lease, List<Integer> slot, int unit, byte[] model) {
    int first = random.nextInt(slot.size() + 4) - 2;
    int count = random.nextInt(12);
    int odd = random.nextInt(4) == 0 ? 1 + random.nextInt(unit - 1) : 0;
    fill(count * unit + odd);
    boolean isRight = odd == 0 && count > 0 && first >= 0 && first + count <= slot.size();

    int result = writer.write(lease, (long) first * unit, memory, false);

    assertThat(result == 0)
        .as("%d units from %d, and %d bytes", count, first, odd)
        .isEqualTo(isRight);
    for (int i = 0; isRight && i < count; i++) {
      memory.get(i * unit, model, slot.get(first + i) * unit, unit);
    }
  }

  private void writeTheLast(
      DeviceWriter writer, long lease, List<Integer> slot, int unit, byte[] model) {
    int last = slot.size() - 1;
    int length = unit / 2 + 3;
    fill(length);
    assertThat(writer.write(lease, (long) last * unit, memory, true)).isZero();
    int place = slot.get(last) * unit;
    for (int i = 0; i < unit; i++) {
      model[place + i] = i < length ? memory.get(i) : 0;
    }
    fill(unit);
    assertThat(writer.write(lease, (long) last * unit, memory, false)).isNegative();
  }

  private void fill(int bytes) {
    memory.clear().limit(bytes);
    for (int i = 0; i < bytes; i++) {
      memory.put(i, (byte) random.nextInt());
    }
  }
}
