// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** librdio and Java find the same chunk, the first that is wrong, and copy no byte of it. */
class ChunkVerifierTest {
  private static final int AT = 24;
  private static final int CRC_AT = 12;
  private static final int TO_AT = 5;
  private static final byte UNTOUCHED = 0x55;

  @Property(tries = 300)
  void bothWaysFindTheFirstBadChunk(
      @ForAll boolean crc32c,
      @ForAll boolean direct,
      @ForAll @IntRange(min = 1, max = 1_500) int chunk,
      @ForAll @IntRange(min = 1, max = 40_000) int length,
      @ForAll @IntRange(min = 0, max = 3) int wrong,
      @ForAll long seed) {
    Chunks chunks = new Chunks(crc32c, direct, chunk, length, wrong, new Random(seed));

    assertThat(chunks.given(new ChunkVerifier(true)).check()).isEqualTo(chunks.firstBad);
    assertThat(chunks.given(new ChunkVerifier(false)).check()).isEqualTo(chunks.firstBad);
  }

  @Property(tries = 100)
  void ofTheBuffersThatItKnowsAndOfOthers(
      @ForAll boolean direct,
      @ForAll @IntRange(min = 1, max = 10_000) int length,
      @ForAll @IntRange(min = 0, max = 1) int wrong,
      @ForAll long seed) {
    Random random = new Random(seed);
    Chunks known = new Chunks(true, direct, 512, length, wrong, random);
    Chunks other = new Chunks(true, true, 512, length, wrong, random);
    ChunkVerifier verifier = new ChunkVerifier(known.data, known.crcs);
    byte[] to = new byte[TO_AT + length];
    for (Chunks chunks : List.of(known, other, known)) {
      assertThat(chunks.given(verifier).check()).isEqualTo(chunks.firstBad);
      assertThat(chunks.copy(verifier, 0, 0, length, to)).isEqualTo(chunks.firstBad);
      if (chunks.firstBad == ChunkVerifier.ALL_GOOD) {
        assertThat(Arrays.copyOfRange(to, TO_AT, to.length)).isEqualTo(chunks.bytes);
      }
    }
  }

  @Property(tries = 500)
  void onlyWhatIsWantedAndRightIsCopied(
      @ForAll boolean crc32c,
      @ForAll boolean direct,
      @ForAll boolean library,
      @ForAll @IntRange(min = 0, max = 2) int kind,
      @ForAll @IntRange(min = 1, max = 1_500) int chunk,
      @ForAll @IntRange(min = 1, max = 600_000) int length,
      @ForAll @IntRange(min = 0, max = 1) int wrong,
      @ForAll long seed) {
    Random random = new Random(seed);
    Chunks chunks = new Chunks(crc32c, direct, chunk, length, wrong, random);
    int skip = random.nextInt(length);
    int wanted = random.nextInt(length - skip + 1);
    byte[] to = new byte[TO_AT + wanted + TO_AT];
    Arrays.fill(to, UNTOUCHED);

    int bad = chunks.copy(new ChunkVerifier(library), kind, skip, wanted, to);

    assertThat(bad).isEqualTo(chunks.firstBad);
    int right = bad == ChunkVerifier.ALL_GOOD ? length : bad * chunk;
    for (int i = 0; i < to.length; i++) {
      int from = skip + i - TO_AT;
      boolean isWanted = i >= TO_AT && i < TO_AT + wanted;
      if (isWanted && bad == ChunkVerifier.ALL_GOOD) {
        assertThat(to[i]).isEqualTo(chunks.bytes[from]);
      } else if (!isWanted || from >= right) {
        assertThat(to[i]).isEqualTo(UNTOUCHED);
      } else {
        assertThat(to[i]).isIn(UNTOUCHED, chunks.bytes[from]);
      }
    }
  }

  /** Random bytes with their CRCs, some bits of which were changed afterwards. */
  private static final class Chunks {
    final byte[] bytes;
    final int firstBad;
    private final ChecksumSpec spec;
    private final ByteBuffer data;
    private final ByteBuffer crcs;

    Chunks(boolean crc32c, boolean direct, int chunk, int length, int wrong, Random random) {
      assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
      bytes = new byte[length];
      random.nextBytes(bytes);
      spec =
          new ChecksumSpec(crc32c ? ChecksumSpec.Type.CRC32C : ChecksumSpec.Type.CRC32, chunk, 7);
      int count = (length + chunk - 1) / chunk;
      crcs = buffer(direct, CRC_AT + count * ChecksumSpec.CRC_BYTES);
      for (int i = 0; i < count; i++) {
        crcs.putInt(CRC_AT + i * ChecksumSpec.CRC_BYTES, crc(i));
      }
      for (int i = 0; i < wrong; i++) {
        bytes[random.nextInt(length)] ^= (byte) (1 << random.nextInt(8));
      }
      int first = ChunkVerifier.ALL_GOOD;
      for (int i = count - 1; i >= 0; i--) {
        if (crc(i) != crcs.getInt(CRC_AT + i * ChecksumSpec.CRC_BYTES)) {
          first = i;
        }
      }
      firstBad = first;
      data = buffer(direct, AT + length);
      data.put(AT, bytes);
    }

    private int crc(int i) {
      Checksum crc = spec.type() == ChecksumSpec.Type.CRC32C ? new CRC32C() : new CRC32();
      int from = i * spec.bytesPerChecksum();
      crc.update(bytes, from, Math.min(spec.bytesPerChecksum(), bytes.length - from));
      return (int) crc.getValue();
    }

    ChunkVerifier given(ChunkVerifier to) {
      return to.chunks(spec, data, AT, bytes.length).against(crcs, CRC_AT);
    }

    /** To an array, to a buffer on one, or to direct memory. */
    int copy(ChunkVerifier by, int kind, int skip, int wanted, byte[] to) {
      ChunkVerifier verifier = given(by);
      if (kind == 0) {
        return verifier.copy(skip, wanted, to, TO_AT);
      }
      if (kind == 1) {
        ByteBuffer behindOneByte = ByteBuffer.wrap(to, 1, to.length - 1).slice();
        return verifier.copy(skip, wanted, behindOneByte, TO_AT - 1);
      }
      ByteBuffer memory = ByteBuffer.allocateDirect(to.length).put(0, to);
      int bad = verifier.copy(skip, wanted, memory, TO_AT);
      memory.get(0, to);
      return bad;
    }
  }

  private static ByteBuffer buffer(boolean direct, int bytes) {
    return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }
}
