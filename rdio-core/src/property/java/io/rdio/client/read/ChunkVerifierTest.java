// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.NativeLibrary;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Side by side and one after the other find the same chunk, the first that is wrong. */
class ChunkVerifierTest {
  private static final int AT = 24;
  private static final int CRC_AT = 12;

  @Property(tries = 300)
  void bothWaysFindTheFirstBadChunk(
      @ForAll boolean crc32c,
      @ForAll boolean direct,
      @ForAll @IntRange(min = 1, max = 1_500) int chunk,
      @ForAll @IntRange(min = 1, max = 40_000) int length,
      @ForAll @IntRange(min = 0, max = 3) int wrong,
      @ForAll long seed) {
    assertThat(NativeLibrary.availability().detail()).startsWith("loaded");
    Random random = new Random(seed);
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    ChecksumSpec spec =
        new ChecksumSpec(crc32c ? ChecksumSpec.Type.CRC32C : ChecksumSpec.Type.CRC32, chunk, 7);
    int chunks = (length + chunk - 1) / chunk;
    ByteBuffer crcs = buffer(direct, CRC_AT + chunks * ChecksumSpec.CRC_BYTES);
    for (int i = 0; i < chunks; i++) {
      Checksum crc = crc32c ? new CRC32C() : new CRC32();
      crc.update(bytes, i * chunk, Math.min(chunk, length - i * chunk));
      crcs.putInt(CRC_AT + i * ChecksumSpec.CRC_BYTES, (int) crc.getValue());
    }
    int first = ChunkVerifier.ALL_GOOD;
    for (int i = 0; i < wrong; i++) {
      int place = random.nextInt(length);
      bytes[place] ^= (byte) (1 << random.nextInt(8));
    }
    for (int i = chunks - 1; i >= 0; i--) {
      Checksum crc = crc32c ? new CRC32C() : new CRC32();
      crc.update(bytes, i * chunk, Math.min(chunk, length - i * chunk));
      if ((int) crc.getValue() != crcs.getInt(CRC_AT + i * ChecksumSpec.CRC_BYTES)) {
        first = i;
      }
    }
    ByteBuffer data = buffer(direct, AT + length);
    data.put(AT, bytes);

    assertThat(new ChunkVerifier(true).firstBad(spec, data, AT, length, crcs, CRC_AT))
        .isEqualTo(first);
    data.clear();
    assertThat(new ChunkVerifier(false).firstBad(spec, data, AT, length, crcs, CRC_AT))
        .isEqualTo(first);
  }

  private static ByteBuffer buffer(boolean direct, int bytes) {
    return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
  }
}
