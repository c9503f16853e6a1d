// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import io.rdio.core.block.BlockKey;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What the chunks of one tier are known by. Two tiers differ in all of it. Thread-safe.
 *
 * @param seed drawn at random
 */
record ChunkSums(long seed) {
  /** Of the name; never 0. */
  long hash(BlockKey block, long chunk) {
    long hash = mix(seed ^ block.poolId().hashCode());
    hash = mix(hash ^ block.blockId());
    hash = mix(hash ^ block.generationStamp());
    hash = mix(hash ^ chunk);
    return hash == 0 ? 1 : hash;
  }

  /** The finalizer of SplitMix64. */
  private static long mix(long value) {
    long mixed = (value + 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }

  /**
   * CRC32C of the seed, the name and the bytes.
   *
   * @param bytes from index 0 on; its position and limit stay
   */
  int sum(BlockKey block, long chunk, int length, ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    String pool = block.poolId();
    for (int i = 0; i < pool.length(); i++) {
      crc.update(pool.charAt(i));
    }
    update(crc, seed);
    update(crc, block.blockId());
    update(crc, block.generationStamp());
    update(crc, chunk);
    update(crc, length);
    crc.update(bytes.slice(0, length));
    return (int) crc.getValue();
  }

  private static void update(CRC32C crc, long value) {
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (value >>> shift));
    }
  }
}
