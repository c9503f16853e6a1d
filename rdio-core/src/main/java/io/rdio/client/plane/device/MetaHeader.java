// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.ChecksumSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The first bytes of a meta file, which say how its block is checksummed. */
public final class MetaHeader {
  private static final int VERSION = 1;

  /** Bytes that it has. */
  private static final int BYTES = 7;

  private MetaHeader() {}

  /**
   * Refuses a meta file that is too short to have one.
   *
   * @throws FallbackException REPLICA_CHANGED
   */
  public static void requireWhole(BlockKey block, long metaBytes) throws FallbackException {
    if (metaBytes < BYTES) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED, block + " has a meta file of " + metaBytes + " bytes");
    }
  }

  /**
   * How the block is checksummed.
   *
   * @param start of the meta file, from index 0 on
   * @throws FallbackException CHECKSUM_UNSUPPORTED also where there are no checksums
   */
  public static ChecksumSpec parse(BlockKey block, ByteBuffer start) throws FallbackException {
    ByteBuffer header = start.duplicate().order(ByteOrder.BIG_ENDIAN);
    ChecksumSpec.Type type = ChecksumSpec.Type.of(header.get(2));
    int chunk = header.getInt(3);
    if (header.getShort(0) != VERSION || chunk < 1 || type == ChecksumSpec.Type.NULL) {
      throw new FallbackException(
          FallbackReason.CHECKSUM_UNSUPPORTED,
          block
              + " has a meta file of version "
              + header.getShort(0)
              + " with checksums "
              + type
              + " of "
              + chunk
              + " bytes; without its DataNode a block is read only if it can be verified");
    }
    return new ChecksumSpec(type, chunk, BYTES);
  }

  /**
   * Refuses a meta file that is not of its block file's length.
   *
   * @throws FallbackException REPLICA_CHANGED
   */
  public static void requireFit(
      BlockKey block, ChecksumSpec checksum, long blockBytes, long metaBytes)
      throws FallbackException {
    if (metaBytes != checksum.metaLength(blockBytes)) {
      throw new FallbackException(
          FallbackReason.REPLICA_CHANGED,
          block
              + " has a block file of "
              + blockBytes
              + " bytes and a meta file of "
              + metaBytes
              + ", which do not fit each other");
    }
  }
}
