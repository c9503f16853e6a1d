// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.device;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What a device must show to be the live one and not an older copy of it. The DataNode writes a
 * witness, durably, after it has pinned a block and before it grants the block's map: a device that
 * shows this witness, or a later one of the same plugin, holds everything that was on the volume by
 * then, the block included. A copy that was taken earlier shows an earlier one, although UUID, size
 * and superblock are the same.
 *
 * @param offset where it is, in bytes from the start of the file system's device
 * @param nonce of the file that it was written by: a new one for each
 * @param count how often that plugin had written it by then, at least 1
 */
public record Witness(long offset, long nonce, long count) {
  /** Bytes on the device: less than a sector, so that they are never read half-written. */
  public static final int BYTES = 3 * Long.BYTES;

  private static final long MAGIC = 0x5244494F5749544EL; // "RDIOWITN"

  /** As it is on the device, from index 0 to the limit. */
  public ByteBuffer encode() {
    return ByteBuffer.allocate(BYTES).putLong(MAGIC).putLong(nonce).putLong(count).flip();
  }

  /**
   * Whether bytes read from {@link #offset} on are this witness or a later one.
   *
   * @param bytes {@link #BYTES} of them from index {@code at} on; the buffer's order is left alone
   */
  boolean isShownBy(ByteBuffer bytes, int at) {
    ByteBuffer shown = bytes.slice(at, BYTES).order(ByteOrder.BIG_ENDIAN);
    return shown.getLong(0) == MAGIC
        && shown.getLong(Long.BYTES) == nonce
        && shown.getLong(2 * Long.BYTES) >= count;
  }

  /** Whether a device that showed this one need not be looked at again for another one. */
  boolean covers(WitnessedDevice wanted, long wantedCount) {
    return covers(wanted.witnessOffset(), wanted.witnessNonce(), wantedCount);
  }

  boolean covers(Witness other) {
    return covers(other.offset, other.nonce, other.count);
  }

  private boolean covers(long otherOffset, long otherNonce, long otherCount) {
    return nonce == otherNonce && offset == otherOffset && count >= otherCount;
  }
}
