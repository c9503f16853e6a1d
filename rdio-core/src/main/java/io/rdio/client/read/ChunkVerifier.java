// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.VerifyCopy;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Checks data chunk by chunk against the CRCs of the meta file. Where librdio is available and all
 * lies in direct buffers, it checks several chunks side by side; else the CRC classes of the JDK
 * check one after the other. For one thread at a time.
 */
public final class ChunkVerifier {
  /** What {@link #firstBad} returns when every chunk matches. */
  public static final int ALL_GOOD = VerifyCopy.ALL_GOOD;

  private static final long CHECKED_ONLY = 0;

  private final boolean sideBySide;
  private final CRC32 crc32 = new CRC32();
  private final CRC32C crc32c = new CRC32C();

  /** By the fastest way that there is here. */
  public ChunkVerifier() {
    this(NativeLibrary.availability().isAvailable());
  }

  /**
   * @param sideBySide whether librdio is asked
   */
  ChunkVerifier(boolean sideBySide) {
    this.sideBySide = sideBySide;
  }

  /**
   * Index of the first chunk whose CRC does not match, or {@link #ALL_GOOD}.
   *
   * @param data bytes from {@code at}, starting on a chunk boundary; the last chunk may be short.
   *     Its position and limit are changed.
   * @param crcs big-endian CRC of the first chunk at {@code crcAt}, the others behind it
   */
  public int firstBad(
      ChecksumSpec spec, ByteBuffer data, int at, int length, ByteBuffer crcs, int crcAt) {
    return sideBySide && length > 0 && data.isDirect() && crcs.isDirect()
        ? VerifyCopy.toMemory(
            spec.type().id(),
            DirectReader.addressOf(data) + at,
            length,
            spec.bytesPerChecksum(),
            DirectReader.addressOf(crcs) + crcAt,
            0,
            0,
            CHECKED_ONLY)
        : firstBadByJava(spec, data, at, length, crcs, crcAt);
  }

  private int firstBadByJava(
      ChecksumSpec spec, ByteBuffer data, int at, int length, ByteBuffer crcs, int crcAt) {
    Checksum crc = spec.type() == ChecksumSpec.Type.CRC32 ? crc32 : crc32c;
    int end = at + length;
    int chunkIndex = 0;
    for (int from = at; from < end; chunkIndex++) {
      int to = spec.bytesPerChecksum() < end - from ? from + spec.bytesPerChecksum() : end;
      data.limit(to).position(from);
      crc.reset();
      crc.update(data);
      if ((int) crc.getValue() != crcs.getInt(crcAt + chunkIndex * ChecksumSpec.CRC_BYTES)) {
        return chunkIndex;
      }
      from = to;
    }
    return ALL_GOOD;
  }
}
