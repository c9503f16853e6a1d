// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.block;

/**
 * One version of one block: what a file map is valid for.
 *
 * @param poolId block pool, for example {@code BP-1-127.0.0.1-1}
 * @param blockId as in {@code blk_N}; negative for erasure-coded (and for some very old) blocks
 * @param generationStamp changed by HDFS at each append, truncate and recovery
 */
public record BlockKey(String poolId, long blockId, long generationStamp) {
  @Override
  public String toString() {
    return poolId + ":blk_" + blockId + "_" + generationStamp;
  }
}
