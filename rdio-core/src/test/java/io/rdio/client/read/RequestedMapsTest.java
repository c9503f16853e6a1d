// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.RangeReads;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.ReadPools;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/**
 * What counts as one request for a block's map: recordings are replayed against eviction policies,
 * for which a request that is counted twice is another trace.
 */
class RequestedMapsTest {
  private static final int LENGTH = 1 << 20;

  private final TestBlock block =
      new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);
  private final ReadFixture fixture = new ReadFixture(block, 512);
  private final byte[] got = new byte[4096];

  private void assertRequests(int times) {
    assertThat(fixture.maps.requests()).isEqualTo(times);
  }

  private ExtentReader positional() throws FallbackException {
    return ExtentReader.openPositional(fixture.context, block.request, true, LENGTH);
  }

  @Test
  void blockThatIsReadInOrderIsOne() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      assertRequests(1);
      for (int at = 0; at < LENGTH; at += got.length) {
        reader.read(at, got, 0, got.length);
      }
    }
    assertRequests(1);
  }

  @Test
  void eachReadByPositionIsOne() throws Exception {
    try (ExtentReader reader = positional()) {
      assertRequests(0);
      reader.read(500_000, got, 0, got.length);
      assertRequests(1);
      reader.read(100_000, ByteBuffer.allocate(got.length), 0, got.length);
      assertRequests(2);
    }
  }

  @Test
  void readThatIsTriedOnceMoreIsOne() throws Exception {
    try (ExtentReader reader = positional()) {
      fixture.maps.reject(fixture.maps.get(block.request), FallbackReason.REPLICA_CHANGED);
      fixture.maps.then(block.map(fixture.clock));
      reader.read(500_000, got, 0, got.length); // by another map than was opened
      assertRequests(1);
      fixture.maps.then(block.map(fixture.clock));
      block.image[block.placeOf(100_000)] ^= 1;
      assertThatThrownBy(() -> reader.read(100_000, got, 0, got.length))
          .isInstanceOf(FallbackException.class);
      assertThat(fixture.maps.rejections()).hasSize(3); // also of both maps of this read
      assertRequests(2);
    }
  }

  @Test
  void setOfRangesIsOne() throws Exception {
    try (RangeReads ranges =
        ExtentRanges.open(fixture.context, block.request, true, LENGTH, (map, from, n) -> {})) {
      for (int at = 0; at < 4 * got.length; at += got.length) {
        ranges.begin(at, ByteBuffer.allocate(got.length), 0, got.length);
      }
      while (ranges.underWay() > 0) {
        ranges.complete();
      }
    }
    assertRequests(1);
  }

  /** Its ranges are read one by one then, and each is one. */
  @Test
  void setOfRangesThatIsNotToBeHadIsNone() throws Exception {
    ReadFixture one = new ReadFixture(block, 512, ReadPools.withoutQueues(ReadFixture.MEMORY));
    try (ExtentReader reader = one.reader()) {
      reader.read(0, got, 0, got.length); // finds out that there are no queues
    }
    assertThat(ExtentRanges.open(one.context, block.request, true, LENGTH, (map, from, n) -> {}))
        .isNull();
    assertThat(one.maps.requests()).isEqualTo(1);
  }

  @Test
  void blockThatIsOpenedForSomebodyElseIsOne() throws Exception {
    TransferBlock opened = TransferBlock.open(fixture.context, block.request);
    fixture.maps.reject(fixture.maps.get(block.request), FallbackReason.REPLICA_CHANGED);
    fixture.maps.then(block.map(fixture.clock));
    opened.admit();
    assertRequests(1);
  }
}
