// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache;

import io.rdio.client.datacache.flash.FlashTier;

/**
 * Which of the chunks that memory evicts the flash tier takes: those that were hit in memory, and
 * those that were evicted before, not long ago. Thread-safe.
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
