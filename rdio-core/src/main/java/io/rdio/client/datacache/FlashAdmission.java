// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.client.datacache.flash.FlashTier;
import io.rdio.core.block.BlockKey;
import java.nio.ByteBuffer;

/**
 * The flash tier behind memory, and which of the chunks that memory evicts it takes: those that
 * were hit in memory, and those that were evicted before, not long ago. Thread-safe.
 */
final class FlashAdmission {
  private final FlashTier tier;
  private final RecentlyWanted ghost;

  FlashAdmission(FlashTier tier) {
    this.tier = tier;
    this.ghost = new RecentlyWanted(tier.chunks());
  }

  FlashTier tier() {
    return tier;
  }

  /**
   * Reads a chunk.
   *
   * @param slot of this pool, which has it again if the tier has not got the chunk
   * @return whether the slot has the chunk
   */
  boolean read(BlockKey block, long index, int length, SlotPool slots, ByteBuffer slot) {
    boolean read = false;
    try {
      read = tier.read(block, index, length, slot);
    } finally {
      if (!read) {
        slots.giveBack(slot);
      }
    }
    return read;
  }

  /**
   * Takes an evicted chunk or does not.
   *
   * @param chunk in use until this returns
   * @return whether it is in the flash tier now
   */
  boolean evicted(ChunkKey key, CachedChunk chunk) {
    if (tier.holds(key.block(), key.chunk())) {
      return true;
    }
    return (chunk.wasHit() || ghost.add(key))
        && tier.offer(key.block(), key.chunk(), chunk.length(), chunk.bytes(), chunk.ticket());
  }
}
