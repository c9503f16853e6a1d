// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.block.BlockKey;

/**
 * Which slot is to become which replica. Immutable.
 *
 * @param incarnation of the DataNode that granted the lease
 * @param length bytes of the block, 1 to {@link WriteCodec#BLOCK_BYTES_MAX}
 */
public record CommitAsk(long incarnation, long leaseId, BlockKey block, long length) {
  /**
   * @throws IllegalArgumentException if the length is out of range
   */
  public CommitAsk {
    Sane.check(length >= 1 && length <= WriteCodec.BLOCK_BYTES_MAX, "length to commit", length);
  }
}
