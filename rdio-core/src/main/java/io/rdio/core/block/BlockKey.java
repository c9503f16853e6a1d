// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

import org.jspecify.annotations.Nullable;

/** One version of one block: what a file map is valid for. */
public final class BlockKey {
  /** What the ids of a group's internal blocks, data and parity, add to that of the group. */
  private static final long INDICES = 15;

  private final String poolId;
  private final long blockId;
  private final long generationStamp;

  /**
   * @param poolId block pool, for example {@code BP-1-127.0.0.1-1}
   * @param blockId as in {@code blk_N}; negative for erasure-coded (and for some very old) blocks
   * @param generationStamp changed by HDFS at each append, truncate and recovery
   */
  public BlockKey(String poolId, long blockId, long generationStamp) {
    this.poolId = poolId;
    this.blockId = blockId;
    this.generationStamp = generationStamp;
  }

  /** Block pool. */
  public String poolId() {
    return poolId;
  }

  /** As in {@code blk_N}. */
  public long blockId() {
    return blockId;
  }

  /** Changed by HDFS at each append, truncate and recovery. */
  public long generationStamp() {
    return generationStamp;
  }

  /**
   * Whether it is a group of erasure-coded blocks or an internal block of one: NameNodes give
   * negative ids to nothing else now.
   */
  public boolean isErasureCoded() {
    return blockId < 0;
  }

  /** Whether another id is that of the erasure-coded group which this is an internal block of. */
  public boolean isOfGroup(long groupId) {
    return isErasureCoded() && groupId == (blockId & ~INDICES);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    if (!(other instanceof BlockKey)) {
      return false;
    }
    BlockKey key = (BlockKey) other;
    return blockId == key.blockId
        && generationStamp == key.generationStamp
        && poolId.equals(key.poolId);
  }

  @Override
  public int hashCode() {
    return (poolId.hashCode() * 31 + Long.hashCode(blockId)) * 31 + Long.hashCode(generationStamp);
  }

  @Override
  public String toString() {
    return poolId + ":blk_" + blockId + "_" + generationStamp;
  }
}
