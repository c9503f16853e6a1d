// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.core.block.BlockKey;

/**
 * Names one chunk of one version of a block. Immutable once it is in a map; one that is only looked
 * up with may be pointed elsewhere, so that a lookup need not allocate.
 */
final class ChunkKey {
  /** For the lookup key of a thread that has not looked up anything yet. */
  private static final BlockKey NO_BLOCK = new BlockKey("", 0, 0);

  private BlockKey block = NO_BLOCK;
  private long index;
  private int hash;

  /**
   * Points this key at a chunk.
   *
   * @param chunk counted from 0 at the block's start
   * @return this
   */
  ChunkKey at(BlockKey ofBlock, long chunk) {
    block = ofBlock;
    index = chunk;
    // Hash codes of neighbouring blocks differ by little, as do chunks: both are spread apart.
    long spread = (ofBlock.hashCode() * 0x9E3779B97F4A7C15L + chunk) * 0xBF58476D1CE4E5B9L;
    hash = (int) (spread >>> 32);
    return this;
  }

  BlockKey block() {
    return block;
  }

  /** Counted from 0 at the block's start. */
  long chunk() {
    return index;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof ChunkKey other && index == other.index && block.equals(other.block);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  @Override
  public String toString() {
    return block + " chunk " + index;
  }
}
