// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockKey;
import java.util.HashMap;
import java.util.Map;

/**
 * Blocks that are barred, whatever their generation stamp, because a recalled pin is not gone yet.
 * Only {@link LeaseTable} touches it, under its lock.
 */
final class PendingRecalls {
  private final Map<AnyVersion, Integer> pins = new HashMap<>();

  private record AnyVersion(String poolId, long blockId) {
    static AnyVersion of(BlockKey block) {
      return new AnyVersion(block.poolId(), block.blockId());
    }
  }

  /** One more pin of the block is recalled. */
  void begin(BlockKey block) {
    pins.merge(AnyVersion.of(block), 1, Integer::sum);
  }

  /** One recalled pin of the block is gone. */
  void end(BlockKey block) {
    pins.computeIfPresent(AnyVersion.of(block), (key, count) -> count == 1 ? null : count - 1);
  }

  boolean bar(BlockKey block) {
    return pins.containsKey(AnyVersion.of(block));
  }

  /**
   * Refuses a block that is barred.
   *
   * @throws FallbackException RECALL_PENDING
   */
  void check(BlockKey block) throws FallbackException {
    if (bar(block)) {
      throw new FallbackException(FallbackReason.RECALL_PENDING, block.toString());
    }
  }
}
