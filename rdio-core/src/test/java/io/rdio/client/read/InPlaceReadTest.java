// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Runs to aligned direct memory: what asks for at least half of what would be under way is read to
 * it, and nothing behind it; for what asks for less there are windows, which are read ahead. The
 * fixture's readers have 2 MiB under way at most.
 */
final class InPlaceReadTest {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 8 * MIB;
  private static final int HALF = MIB;
  private static final int ALIGNMENT = 512;

  private final TestBlock block =
      new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);
  private final ReadFixture fixture = new ReadFixture(block, ALIGNMENT);
  private final ByteBuffer target =
      ByteBuffer.allocateDirect(LENGTH + 2 * ALIGNMENT).alignedSlice(ALIGNMENT);
  private final ExtentReader reader;
  private int done;

  InPlaceReadTest() throws FallbackException {
    reader = fixture.reader();
  }

  @AfterEach
  void close() {
    reader.close();
    assertThat(fixture.windows.lentBytes()).isZero();
  }

  /** The next so many bytes, to where they belong in a buffer of the whole block. */
  private void read(int count) throws FallbackException {
    reader.read(done, target, done, count);
    byte[] got = new byte[count];
    target.get(done, got);
    assertThat(got).isEqualTo(block.range(done, count));
    done += count;
  }

  private long readAhead() {
    return fixture.windows.lentBytes();
  }

  private void assertNoByteWasReadTwice() {
    assertThat(fixture.counters.deviceBytes.sum()).isLessThan((long) done * 102 / 100);
  }

  @Test
  void lessThanHalfIsReadAhead() throws Exception {
    for (int i = 0; i < 6; i++) {
      read(HALF - 4 * KIB);
      assertThat(readAhead()).as("behind %s bytes", done).isGreaterThan(MIB);
    }
  }

  @Test
  void halfAndMoreGoInPlaceAndNothingIsReadAhead() throws Exception {
    for (int count : new int[] {HALF, HALF, 3 * HALF, HALF}) {
      read(count);
      assertThat(readAhead()).as("behind %s bytes", done).isZero();
    }
    assertNoByteWasReadTwice();
  }

  /** Who has begun with little finds windows under way: they are used up, and no more are begun. */
  @Test
  void whatIsUnderWayIsCopiedFirst() throws Exception {
    read(256 * KIB);
    assertThat(readAhead()).isGreaterThan(512 * KIB);
    read(HALF);
    assertThat(readAhead()).isZero();
    assertNoByteWasReadTwice();
  }

  /** Then no more are begun either, and the next call goes in place. */
  @Test
  void whatIsUnderWayMayBeAllOfACall() throws Exception {
    read(512 * KIB);
    read(HALF);
    assertThat(readAhead())
        .as("what was under way before, from its last window on")
        .isBetween(4L * ReadGeometry.WINDOW, 5L * WindowPool.bytes(ReadGeometry.WINDOW) - 1);
    read(HALF);
    assertThat(readAhead()).isZero();
    assertNoByteWasReadTwice();
  }

  /** However much is asked for: it would not go in place behind what is under way either. */
  @Test
  void memoryThatIsNotAlignedIsReadAhead() throws Exception {
    ByteBuffer shifted = target.position(1).slice();
    byte[] got = new byte[HALF];
    for (int at = 0; at < LENGTH - 2 * HALF; at += HALF) {
      reader.read(at, shifted, 0, HALF);
      shifted.get(0, got);
      assertThat(got).isEqualTo(block.range(at, HALF));
      assertThat(readAhead()).as("behind %s bytes", at + HALF).isGreaterThan(MIB);
    }
  }

  /** So are chunks that are no whole blocks of the device. */
  @Test
  void chunksThatAreNotAlignedAreReadAhead() throws Exception {
    TestBlock odd = new TestBlock(8, LENGTH, ChecksumSpec.Type.CRC32C, 1000, 4096, 1 << 30);
    ReadFixture of = new ReadFixture(odd, ALIGNMENT);
    try (ExtentReader run = of.reader()) {
      byte[] got = new byte[HALF];
      for (int at = 0; at < LENGTH - 2 * HALF; at += HALF) {
        run.read(at, target, at, HALF);
        target.get(at, got);
        assertThat(got).isEqualTo(odd.range(at, HALF));
        assertThat(of.windows.lentBytes()).as("behind %s bytes", at + HALF).isGreaterThan(MIB);
      }
    }
  }
}
