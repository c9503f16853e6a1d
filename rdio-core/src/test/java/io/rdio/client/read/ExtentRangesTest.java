// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ranges by the device that are under way together. */
class ExtentRangesTest {
  private static final int LENGTH = (2 << 20) + 333;

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
}
