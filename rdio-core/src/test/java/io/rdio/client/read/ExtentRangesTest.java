// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.ReadGeometry;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.RangeReads;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ranges by the device that are under way together. */
class ExtentRangesTest {
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 2 * MIB + 333;

  private final TestBlock block =
      new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 300_000);
  private final ReadFixture fixture = new ReadFixture(block, 512);

  private final List<FileMap> suspects = new ArrayList<>();

  private RangeReads open() throws FallbackException {
    return ExtentRanges.open(
        fixture.context, block.request, true, LENGTH, (map, from, count) -> suspects.add(map));
  }

  @Test
  void eachGoesToItsOwnMemory() throws Exception {
    Random random = new Random(3);
    for (int round = 0; round < 30; round++) {
      List<Integer> offsets = new ArrayList<>();
      List<ByteBuffer> targets = new ArrayList<>();
      try (RangeReads ranges = open()) {
        int begun = 1;
        while (begun > 0) {
          int from = random.nextInt(LENGTH);
          int count = 1 + random.nextInt(Math.min(LENGTH - from, 400_000));
          ByteBuffer target =
              random.nextBoolean()
                  ? ByteBuffer.allocate(count + 1)
                  : ByteBuffer.allocateDirect(count + 1);
          begun = ranges.begin(from, target, 1, count);
          if (begun > 0) {
            offsets.add(from);
            targets.add(target.limit(1 + begun).position(1));
          }
        }
        ranges.submit();
        assertThat(ranges.underWay()).isEqualTo(targets.size()).isPositive();
        for (int i = 0; i < targets.size(); i++) {
          int count = ranges.complete();
          assertThat(targets.get(i)).isEqualTo(ByteBuffer.wrap(block.bytes, offsets.get(i), count));
        }
      }
    }
    assertThat(fixture.context.windows().lentBytes()).isZero();
  }

  @Test
  void aWrongChunkIsRefusedAndCountedAndAllIsGivenBack() throws Exception {
    block.image[block.placeOf(50_000)] ^= 1;
    try (RangeReads ranges = open()) {
      ranges.begin(49_900, ByteBuffer.allocate(1000), 0, 1000);
      ranges.begin(90_000, ByteBuffer.allocate(1000), 0, 1000);
      assertThatThrownBy(ranges::complete)
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));
    }
    block.image[block.placeOf(50_000)] ^= 1;
    fixture.maps.then(block.map(fixture.clock));
    byte[] again = new byte[1000];
    try (ExtentReader reader = fixture.reader()) {
      reader.read(49_900, again, 0, again.length);
    }
    assertThat(again).isEqualTo(block.range(49_900, again.length));
    assertThat(fixture.counters.checksumMismatches.sum()).isEqualTo(1);
    assertThat(suspects).hasSize(1);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.context.windows().lentBytes()).isZero();
  }

  @Test
  void withoutQueuesThereAreNone() throws Exception {
    ReadFixture one = new ReadFixture(block, 512, ReadPools.withoutQueues(1L << 30));
    byte[] first = new byte[1000];
    try (ExtentReader reader = ExtentReader.open(one.context, block.request, true, LENGTH)) {
      reader.read(0, first, 0, first.length); // whose ReadAhead is idle from now on
    }
    assertThat(
            ExtentRanges.open(one.context, block.request, true, LENGTH, (map, from, count) -> {}))
        .isNull();
  }

  /** A block in one piece, so that a window is one request, as are CRCs that lie side by side. */
  private static TestBlock inOnePiece() {
    return new TestBlock(7, 8 * MIB, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);
  }

  private static RangeReads open(ReadFixture of) throws FallbackException {
    return Objects.requireNonNull(
        ExtentRanges.open(
            of.context, of.block.request, true, of.block.bytes.length, (map, from, count) -> {}));
  }

  /** Reads ranges of so many bytes from each offset on, all together, and compares them. */
  private static void read(ReadFixture of, int count, int... offsets) throws FallbackException {
    List<ByteBuffer> targets = new ArrayList<>();
    try (RangeReads ranges = open(of)) {
      for (int offset : offsets) {
        ByteBuffer target = ByteBuffer.allocate(count);
        targets.add(target);
        for (int begun = 0; begun < count; ) {
          int more = ranges.begin(offset + begun, target, begun, count - begun);
          begun += more;
          if (more == 0) {
            ranges.complete();
          }
        }
      }
      while (ranges.underWay() > 0) {
        ranges.complete();
      }
    }
    for (int i = 0; i < offsets.length; i++) {
      assertThat(targets.get(i)).isEqualTo(ByteBuffer.wrap(of.block.bytes, offsets[i], count));
    }
    assertThat(of.windows.lentBytes()).isZero();
  }

  @Test
  void longRangeTakesAsFewRequestsAsAStream() throws Exception {
    ReadFixture of = new ReadFixture(inOnePiece(), 512);
    read(of, 8 * MIB, 0);
    assertThat(of.device.reads()).isEqualTo(8 + 8 / ReadGeometry.CRC_GROUP);
  }

  @Test
  void severalLongRangesToo() throws Exception {
    ReadFixture of = new ReadFixture(inOnePiece(), 512);
    read(of, 2 * MIB, 0, 4 * MIB, 6 * MIB);
    assertThat(of.device.reads()).isEqualTo(6 + 3);
  }

  /** One half is verified while the other one comes. */
  @Test
  void rangeOfOneMebibyteComesByHalves() throws Exception {
    ReadFixture of = new ReadFixture(inOnePiece(), 512);
    read(of, MIB, 2 * MIB);
    assertThat(of.device.reads()).isEqualTo(2 + 1);
  }

  @Test
  void shortRangesNearEachOtherHaveTheirCrcsByOneRequest() throws Exception {
    ReadFixture of = new ReadFixture(inOnePiece(), 512);
    int count = 20_000;
    read(of, count, 0, 30_000, 100_000, 400_000);
    assertThat(of.device.reads()).isEqualTo(4 + 1);
    read(of, count, 50_000, 450_000);
    assertThat(of.device.reads()).as("which are kept").isEqualTo(4 + 1 + 2);
  }

  @Test
  void whereMemoryIsScarceALongRangeComesBySmallWindows() throws Exception {
    ReadFixture of = new ReadFixture(inOnePiece(), 512, 8L * MIB);
    read(of, 2 * MIB, MIB);
    assertThat(of.device.reads()).isEqualTo(8 + 8 / ReadGeometry.CRC_GROUP);
  }

  @Test
  void rangesOfAnyLengthOfAnyBlock() throws Exception {
    Random random = new Random(9);
    for (int chunk : new int[] {64, 512, 4096, 100_000}) {
      TestBlock scattered =
          new TestBlock(chunk, 6 * MIB - 77, ChecksumSpec.Type.CRC32, chunk, 1024, 300_000);
      ReadFixture of = new ReadFixture(scattered, 512);
      for (int round = 0; round < 15; round++) {
        int count = 1 + random.nextInt(random.nextBoolean() ? 2 * MIB : 50_000);
        int first = random.nextInt(2 * MIB);
        int near = first + Math.min(count + random.nextInt(5000), MIB);
        read(of, count, first, 2 * MIB + random.nextInt(MIB), near);
      }
    }
  }

  @Test
  void wrongChunkOfAWindowWhoseCrcsCameWithOthersIsRefused() throws Exception {
    TestBlock one = inOnePiece();
    one.image[one.placeOf(3 * MIB + 70_000)] ^= 8;
    ReadFixture of = new ReadFixture(one, 512);
    byte[] got = new byte[4 * MIB];
    try (RangeReads ranges = open(of)) {
      int begun = 0;
      while (begun < got.length) {
        begun += ranges.begin(begun, ByteBuffer.wrap(got), begun, got.length - begun);
      }
      for (int i = 0; i < 3; i++) {
        assertThat(ranges.complete()).isEqualTo(MIB);
      }
      assertThatThrownBy(ranges::complete)
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));
    }
    assertThat(Arrays.equals(got, 0, 3 * MIB, one.bytes, 0, 3 * MIB)).isTrue();
    assertThat(of.windows.lentBytes()).isZero();
  }
}
