// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.client.plane.FileMap;
import io.rdio.client.read.ChunkVerifier;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.time.MonotonicClock;
import java.nio.ByteBuffer;

/**
 * Hands out what its CRCs match only. They are read before the look, as the data is; one look
 * proves both.
 */
final class CrcReader extends AttackedReader {
  private final LocatedStorage storage;
  private final ChunkVerifier verifier = new ChunkVerifier();

  /** The meta file's first page, which has all CRCs of so small a block. */
  private final ByteBuffer meta =
      ByteBuffer.allocateDirect(2 * AttackingWriter.PAGE)
          .alignedSlice(AttackingWriter.PAGE)
          .limit(AttackingWriter.PAGE);

  CrcReader(
      LocatedStorage storage,
      Marks.Contents contents,
      MonotonicClock clock,
      boolean looks,
      long seed) {
    super(storage, contents, clock, looks, seed);
    this.storage = storage;
  }

  @Override
  void fetch(FileMap map, int at, ByteBuffer to) throws FallbackException {
    storage.live().device().read(map.metaExtents().physical(0), meta.position(0));
    super.fetch(map, at, to);
    ChecksumSpec checksum = map.checksum();
    int crcAt = checksum.headerLength() + at / checksum.bytesPerChecksum() * ChecksumSpec.CRC_BYTES;
    int wrong =
        verifier
            .chunks(checksum, to.duplicate(), 0, AttackingWriter.PAGE)
            .against(meta, crcAt)
            .check();
    if (wrong != ChunkVerifier.ALL_GOOD) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_MISMATCH, map.block() + ", chunk " + wrong + " from " + at);
    }
  }
}
