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

/** In agreement with Java's own checksums, for any place and length, right and wrong bytes. */
final class VerifyCopyTest {
  private static final int CRC_BYTES = 4;
  private static final int PIECE = 256 << 10; // what an array is held for at a time

  static {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
  }

  /** A window's worth of bytes, with the CRCs that they should have. */
  private record Window(int type, int chunk, ByteBuffer data, ByteBuffer crcs) {
    static Window of(int type, int length, int chunk, Random random) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      int count = (length + chunk - 1) / chunk;
      ByteBuffer crcs = ByteBuffer.allocateDirect(count * CRC_BYTES);
      for (int i = 0; i < count; i++) {
        Checksum checksum = type == VerifyCopy.CRC32 ? new CRC32() : new CRC32C();
        checksum.update(bytes, i * chunk, Math.min(chunk, length - i * chunk));
        crcs.putInt(i * CRC_BYTES, (int) checksum.getValue());
      }
      return new Window(type, chunk, ByteBuffer.allocateDirect(length).put(0, bytes), crcs);
    }

    int toArray(int skip, int wanted, byte[] target, int at) {
      return VerifyCopy.toArray(
          type,
          DirectReader.addressOf(data),
          data.capacity(),
          chunk,
          DirectReader.addressOf(crcs),
          skip,
          wanted,
          target,
          at);
    }

    int toMemory(int skip, int wanted, long target) {
      return VerifyCopy.toMemory(
          type,
          DirectReader.addressOf(data),
          data.capacity(),
          chunk,
          DirectReader.addressOf(crcs),
          skip,
          wanted,
          target);
    }

    byte[] bytes(int from, int count) {
      byte[] bytes = new byte[count];
      data.get(from, bytes);
      return bytes;
    }
  }

  @Property(tries = 300)
  void rightBytesAreCopiedAndNothingElse(
      @ForAll @IntRange(min = 1, max = 2) int type,
      @ForAll @IntRange(min = 1, max = 3 * PIECE) int length,
      @ForAll @IntRange(min = 1, max = 2 * PIECE) int chunk,
      @ForAll @IntRange(min = 0, max = 100) int at,
      @ForAll long seed) {
    Random random = new Random(seed);
    Window window = Window.of(type, length, random.nextBoolean() ? 512 : chunk, random);
    int skip = random.nextInt(length + 1);
    int wanted = random.nextInt(length - skip + 1);
    byte[] target = new byte[at + wanted + 8];
    Arrays.fill(target, (byte) 0x5a);
    byte[] expected = target.clone();
    System.arraycopy(window.bytes(skip, wanted), 0, expected, at, wanted);
    ByteBuffer memory = ByteBuffer.allocateDirect(Math.max(1, wanted));

    assertThat(window.toArray(skip, wanted, target, at)).isEqualTo(VerifyCopy.ALL_GOOD);
    assertThat(window.toMemory(skip, wanted, DirectReader.addressOf(memory)))
        .isEqualTo(VerifyCopy.ALL_GOOD);
    assertThat(window.toMemory(0, 0, 0)).isEqualTo(VerifyCopy.ALL_GOOD);

    assertThat(target).isEqualTo(expected);
    byte[] copied = new byte[wanted];
    memory.get(0, copied);
    assertThat(copied).isEqualTo(window.bytes(skip, wanted));
  }

  @Property(tries = 300)
  void oneWrongBitIsFoundAndItsChunkNotCopied(
      @ForAll @IntRange(min = 1, max = 2) int type,
      @ForAll @IntRange(min = 1, max = 3 * PIECE) int length,
      @ForAll @IntRange(min = 1, max = 2 * PIECE) int longest,
      @ForAll long seed) {
    Random random = new Random(seed);
    int chunk = random.nextBoolean() ? 512 : longest;
    Window window = Window.of(type, length, chunk, random);
    int wrong = random.nextInt(length);
    window.data().put(wrong, (byte) (window.data().get(wrong) ^ 1 << random.nextInt(8)));
    byte[] target = new byte[length];

    assertThat(window.toArray(0, length, target, 0)).isEqualTo(wrong / chunk);
    assertThat(window.toMemory(0, 0, 0)).isEqualTo(wrong / chunk);

    int good = wrong / chunk * chunk;
    assertThat(Arrays.copyOf(target, good)).isEqualTo(window.bytes(0, good));
    assertThat(Arrays.copyOfRange(target, good, length)).containsOnly(0);
  }

  @Property(tries = 100)
  void wrongCrcsAreWrongToo(
      @ForAll @IntRange(min = 1, max = 100_000) int length, @ForAll long seed) {
    Window window = Window.of(VerifyCopy.CRC32C, length, 512, new Random(seed));
    int index = new Random(seed).nextInt(window.crcs().capacity());
    window.crcs().put(index, (byte) ~window.crcs().get(index));

    assertThat(window.toMemory(0, 0, 0)).isEqualTo(index / CRC_BYTES);
  }
}
