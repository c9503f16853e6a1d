// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ImageQueue;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Reads that the queue brings in parts, or has no place for at first. None is made past the queue,
 * where nobody could give it up.
 */
final class PartialReadsTest {
  private static final int LENGTH = 2 << 20;
  private static final int PIECE = 100_000;
  private static final int ROOMY = 64;
  private static final int TIGHT = 4;

  private final TestBlock whole = block(4096, Integer.MAX_VALUE);
  private final TestBlock fragmented = block(4096, 4096);
  private final List<ImageQueue> queues = new ArrayList<>();

  private static TestBlock block(int grain, int fragment) {
    return new TestBlock(5, LENGTH, ChecksumSpec.Type.CRC32C, 512, grain, fragment);
  }

  private ReadFixture fixture(
      TestBlock block, int alignment, int places, IntUnaryOperator bytesOf) {
    return new ReadFixture(
        block,
        alignment,
        ReadFixture.MEMORY,
        () -> {
          queues.add(new ImageQueue(block.image, places, bytesOf));
          return queues.get(queues.size() - 1);
        });
  }

  /** In order, with windows ahead, and then all at once. */
  private static void assertReadsByTheQueue(ReadFixture fixture) throws FallbackException {
    byte[] got = new byte[LENGTH];
    try (ExtentReader reader = fixture.reader()) {
      for (int at = 0; at < LENGTH; at += PIECE) {
        reader.read(at, got, at, Math.min(PIECE, LENGTH - at));
      }
      assertThat(got).isEqualTo(fixture.block.bytes);
      byte[] again = new byte[LENGTH];
      reader.read(0, again, 0, LENGTH);
      assertThat(again).isEqualTo(fixture.block.bytes);
    }
    assertThat(fixture.device.reads()).as("past the queue").isZero();
    assertThat(fixture.readAheads.lentQueues()).isZero();
  }

  private FallbackReason refusal(ReadFixture fixture) throws FallbackException {
    try (ExtentReader reader = fixture.reader()) {
      return catchThrowableOfType(
              FallbackException.class, () -> reader.read(0, new byte[LENGTH], 0, LENGTH))
          .reason();
    } finally {
      assertThat(fixture.device.reads()).as("past the queue").isZero();
    }
  }

  @Test
  void readThatEndsEarlyGoesOnWhereItEnded() throws Exception {
    List<Integer> asked = new ArrayList<>();
    IntUnaryOperator most64k =
        length -> {
          asked.add(length);
          return Math.min(length, 64 << 10);
        };
    assertReadsByTheQueue(fixture(whole, 512, ROOMY, most64k));
    assertThat(asked).contains(256 << 10, 192 << 10, 128 << 10, 64 << 10);
  }

  @Test
  void readThatEndsOffAlignmentGoesOnFromTheLastAlignedByte() throws Exception {
    assertReadsByTheQueue(fixture(whole, 512, ROOMY, length -> Math.min(length, 10_000)));
  }

  @Test
  void readThatEndsBeforeItsFirstByteIsRepeated() throws Exception {
    int[] calls = {0};
    assertReadsByTheQueue(fixture(whole, 512, ROOMY, length -> calls[0]++ % 3 == 2 ? length : 0));
  }

  @Test
  void readThatNeverBringsAByteIsGivenUp() throws Exception {
    int[] calls = {0};
    ReadFixture fixture =
        fixture(
            whole,
            512,
            ROOMY,
            length -> {
              calls[0]++;
              return 0;
            });
    assertThat(refusal(fixture))
        .as("for want of another map")
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    assertThat(fixture.maps.rejections()).containsExactly(FallbackReason.DEVICE_IO_ERROR);
    assertThat(calls[0]).isLessThan(100);
  }

  @Test
  void piecesThatDoNotFitTheQueueWaitForAPlaceInIt() throws Exception {
    assertReadsByTheQueue(fixture(fragmented, 512, TIGHT, length -> length));
    assertThat(queues.stream().mapToInt(ImageQueue::begun).sum())
        .isGreaterThan(LENGTH / 4096 * 3 / 2);
    // Windows that were begun later have had the other places.
    assertThat(queues.stream().mapToInt(ImageQueue::awaitedOnly).sum()).isPositive();
  }

  @Test
  void piecesThatAreMovedDownWaitForThatToo() throws Exception {
    assertReadsByTheQueue(fixture(block(1024, 3072), 4096, TIGHT, length -> length));
    assertReadsByTheQueue(
        fixture(block(1024, 3072), 4096, TIGHT, length -> Math.min(length, 4096)));
  }

  @Test
  void pieceThatDidNotFitIsGivenUpAsAnyOther() throws Exception {
    int[] calls = {0};
    ReadFixture fixture =
        fixture(
            fragmented, 512, TIGHT, length -> calls[0]++ < 2 * TIGHT ? length : ImageQueue.HANGS);
    assertThat(refusal(fixture)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(calls[0]).isEqualTo(2 * TIGHT + 1);
  }

  @Test
  void restOfAReadIsGivenUpAsAnyOther() throws Exception {
    int[] calls = {0};
    ReadFixture fixture =
        fixture(whole, 512, ROOMY, length -> calls[0]++ == 0 ? 512 : ImageQueue.HANGS);
    assertThat(refusal(fixture)).isEqualTo(FallbackReason.DEVICE_TIMEOUT);
    assertThat(calls[0]).isEqualTo(2);
  }
}
