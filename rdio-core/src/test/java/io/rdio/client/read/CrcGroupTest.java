// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.ReadGeometry;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CRCs that come with those of the window in front: fewer requests, the same bytes. */
class CrcGroupTest {
  private static final int MIB = 1 << 20;
  private static final int LENGTH = 8 * MIB;
  private static final int WINDOWS = LENGTH / ReadGeometry.WINDOW;
  private static final int HALVES = 2; // of a positional read
  private static final int GROUPS = WINDOWS / ReadGeometry.CRC_GROUP;

  private final TestBlock block =
      new TestBlock(7, LENGTH, ChecksumSpec.Type.CRC32C, 512, 4096, 1 << 30);
  private final ReadFixture fixture = new ReadFixture(block, 512);

  @Test
  void runAsksForTheCrcsOfSeveralWindowsAtOnce() throws Exception {
    // Small: with -Xcheck:jni each read copies the whole array that it writes to.
    byte[] got = new byte[4096];
    try (ExtentReader reader = fixture.reader()) {
      for (int at = 0; at < LENGTH; at += got.length) {
        reader.read(at, got, 0, got.length);
        assertThat(Arrays.equals(got, 0, got.length, block.bytes, at, at + got.length)).isTrue();
      }
    }
    // The first window has 64 KiB, so the others are off by that; its CRCs are of the first group.
    assertThat(fixture.device.reads()).isLessThanOrEqualTo(WINDOWS + 1 + GROUPS + 2);
  }

  @Test
  void positionalReadHasOneRequestForAllOfItsCrcs() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      byte[] got = new byte[MIB];
      reader.read(5 * MIB, new byte[1], 0, 1); // no run: not where the next one begins
      int before = fixture.device.reads();
      reader.read(2 * MIB, got, 0, MIB);
      assertThat(got).isEqualTo(block.range(2 * MIB, MIB));
      assertThat(fixture.device.reads() - before).isEqualTo(HALVES + 1);
    }
  }

  @Test
  void whatItBringsIsKeptForTheNextReadNearby() throws Exception {
    try (ExtentReader reader = fixture.reader()) {
      reader.read(5 * MIB, new byte[1], 0, 1);
      reader.read(2 * MIB, new byte[MIB], 0, MIB);
      int before = fixture.device.reads();
      byte[] got = new byte[MIB];
      reader.read(2 * MIB, got, 0, MIB);
      assertThat(got).isEqualTo(block.range(2 * MIB, MIB));
      assertThat(fixture.device.reads() - before).isEqualTo(HALVES);
    }
  }

  @Test
  void readsInPlaceShareThemToo() throws Exception {
    ByteBuffer target = ByteBuffer.allocateDirect(LENGTH + 4096).alignedSlice(4096);
    try (ExtentReader reader = fixture.reader()) {
      reader.read(0, target, 0, LENGTH);
    }
    byte[] got = new byte[LENGTH];
    target.get(0, got);
    assertThat(got).isEqualTo(block.bytes);
    assertThat(fixture.device.reads()).isEqualTo(WINDOWS + GROUPS);
  }

  @Test
  void wrongChunkOfAWindowBehindIsFound() throws Exception {
    int wrong = 2 * MIB + 3 * ReadGeometry.WINDOW + 5000;
    block.image[block.placeOf(wrong)] ^= 4;
    fixture.maps.then(block.map(fixture.clock)).then(block.map(fixture.clock));
    try (ExtentReader reader = fixture.reader()) {
      reader.read(5 * MIB, new byte[1], 0, 1);
      assertThatThrownBy(() -> reader.read(2 * MIB, new byte[MIB], 0, MIB))
          .isInstanceOfSatisfying(
              FallbackException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH);
                assertThat(e.detail()).contains("chunk at " + wrong / 512 * 512);
              });
    }
  }

  /** A reader that skips leaves windows that were to hand CRCs on: the others read their own. */
  @ParameterizedTest
  @ValueSource(ints = {64, 512, 4096, 100_000})
  void windowsWhoseGroupIsGoneReadTheirOwn(int chunk) throws Exception {
    TestBlock other =
        new TestBlock(9, LENGTH / 2 - 77, ChecksumSpec.Type.CRC32, chunk, 1024, 300_000);
    ReadFixture of = new ReadFixture(other, 512);
    Random random = new Random(chunk);
    byte[] got = new byte[2 * MIB];
    for (int run = 0; run < 5; run++) {
      try (ExtentReader reader = of.reader()) {
        of.maps.then(other.map(of.clock));
        int at = random.nextInt(MIB);
        while (at < other.bytes.length) {
          int count = Math.min(1 + random.nextInt(got.length), other.bytes.length - at);
          reader.read(at, got, 0, count);
          assertThat(Arrays.equals(got, 0, count, other.bytes, at, at + count)).isTrue();
          at += count + (random.nextBoolean() ? 0 : random.nextInt(600_000));
        }
      }
    }
    assertThat(of.windows.lentBytes()).isZero();
  }
}
