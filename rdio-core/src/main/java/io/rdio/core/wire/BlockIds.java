// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.wire;

import io.rdio.core.block.BlockKey;
import io.rdio.core.wire.proto.BlockId;

/** Names of blocks on the wire. */
public final class BlockIds {
  private BlockIds() {}

  /** The message for a block. */
  public static BlockId encode(BlockKey block) {
    return BlockId.newBuilder()
        .setPoolId(block.poolId())
        .setBlockId(block.blockId())
        .setGenerationStamp(block.generationStamp())
        .build();
  }

  /** The block that a message names. */
  public static BlockKey decode(BlockId block) {
    return new BlockKey(block.getPoolId(), block.getBlockId(), block.getGenerationStamp());
  }
}
