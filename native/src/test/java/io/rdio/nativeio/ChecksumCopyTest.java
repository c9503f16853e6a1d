// SPDX-License-Identifier: Apache-2.0
package io.rdio.nativeio;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** In agreement with Java's own checksums, for any place and length, and with VerifyCopy. */
final class ChecksumCopyTest {
  private static final int CRC_BYTES = 4;
  private static final int PIECE = 256 << 10; // what an array is held for at a time
  private static final int BESIDE = 64;
  private static final byte GUARD = 0x5a;

  static {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  /** Memory of some bytes, at an odd place, with guards before and behind. */
  private record Guarded(ByteBuffer memory, int bytes) {
    static Guarded of(int bytes) {
      byte[] guards = new byte[bytes + 2 * BESIDE + 1];
      Arrays.fill(guards, GUARD);
      return new Guarded(ByteBuffer.allocateDirect(guards.length).put(0, guards), bytes);
    }

    long address() {
      return DirectReader.addressOf(memory) + BESIDE + 1;
    }

    /** What is there; and nothing beside it was touched. */
    byte[] content() {
      byte[] all = new byte[memory.capacity()];
      memory.get(0, all);
      assertThat(Arrays.copyOf(all, BESIDE + 1)).containsOnly(GUARD);
      assertThat(Arrays.copyOfRange(all, BESIDE + 1 + bytes, all.length)).containsOnly(GUARD);
      return Arrays.copyOfRange(all, BESIDE + 1, BESIDE + 1 + bytes);
    }
  }

  private static byte[] crcsOf(int type, byte[] bytes, int at, int length, int chunk) {
    ByteBuffer crcs = ByteBuffer.allocate((length + chunk - 1) / chunk * CRC_BYTES);
    for (int from = 0; from < length; from += chunk) {
      Checksum checksum = type == VerifyCopy.CRC32 ? new CRC32() : new CRC32C();
      checksum.update(bytes, at + from, Math.min(chunk, length - from));
      crcs.putInt((int) checksum.getValue());
    }
    return crcs.array();
  }

  @Property(tries = 300)
  void bytesAreCopiedWithTheirCrcs(
      @ForAll @IntRange(min = 1, max = 2) int type,
      @ForAll @IntRange(min = 1, max = 3 * PIECE) int length,
      @ForAll @IntRange(min = 1, max = 2 * PIECE) int longest,
      @ForAll @IntRange(min = 0, max = 100) int at,
      @ForAll long seed) {
    Random random = new Random(seed);
    int chunk = random.nextBoolean() ? 512 : longest;
    byte[] source = new byte[at + length + random.nextInt(100)];
    random.nextBytes(source);
    byte[] before = source.clone();
    byte[] wanted = Arrays.copyOfRange(source, at, at + length);
    byte[] crcs = crcsOf(type, source, at, length, chunk);

    Guarded target = Guarded.of(length);
    Guarded stored = Guarded.of(crcs.length);
    int result =
        ChecksumCopy.fromArray(type, source, at, length, chunk, target.address(), stored.address());
    assertThat(result).isZero();
    assertThat(target.content()).isEqualTo(wanted);
    assertThat(stored.content()).isEqualTo(crcs);
    assertThat(source).isEqualTo(before);

    Guarded again = Guarded.of(length);
    Guarded storedAgain = Guarded.of(crcs.length);
    result =
        ChecksumCopy.fromMemory(
            type, target.address(), length, chunk, again.address(), storedAgain.address());
    assertThat(result).isZero();
    assertThat(again.content()).isEqualTo(wanted);
    assertThat(storedAgain.content()).isEqualTo(crcs);
  }

  @Property(tries = 100)
  void verifiersTakeIt(
      @ForAll @IntRange(min = 1, max = 2) int type,
      @ForAll @IntRange(min = 1, max = PIECE) int length,
      @ForAll @IntRange(min = 1, max = 9000) int chunk,
      @ForAll long seed) {
    byte[] source = new byte[length];
    new Random(seed).nextBytes(source);
    Guarded target = Guarded.of(length);
    Guarded crcs = Guarded.of((length + chunk - 1) / chunk * CRC_BYTES);
    ChecksumCopy.fromArray(type, source, 0, length, chunk, target.address(), crcs.address());

    byte[] got = new byte[length];
    assertThat(
            VerifyCopy.toArray(
                type, target.address(), length, chunk, crcs.address(), 0, length, got, 0))
        .isEqualTo(VerifyCopy.ALL_GOOD);
    assertThat(got).isEqualTo(source);
  }
}
