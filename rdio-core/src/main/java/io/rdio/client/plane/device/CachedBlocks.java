// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.ext4.MetadataBlocks;
import io.rdio.core.ext4.journal.Journal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Blocks of metadata, kept in memory until a transaction that the journal has caught up with writes
 * or revokes them (the EXT4-oF paper's lazy coherence). Safe for any number of threads.
 *
 * <p>A block that this gives is as new as the journal's position when it was asked for, or newer.
 */
final class CachedBlocks implements MetadataBlocks {
  private static final long MAX_BYTES = 16L << 20;

  private final Journal journal;
  private final DeviceCounters counters;
  private final Cache<Long, Kept> kept;

  /**
   * A block that was read.
   *
   * @param position of the journal before that
   */
  private record Kept(ByteBuffer bytes, long position) {}

  CachedBlocks(Journal journal, DeviceCounters counters) {
    this.journal = journal;
    this.counters = counters;
    this.kept = Caffeine.newBuilder().maximumSize(MAX_BYTES / journal.blockSize()).build();
  }

  /** Reads all anew: one of them may have been met half-written. */
  void forget() {
    kept.invalidateAll();
  }

  /** Reads these anew. */
  void forget(long[] numbers) {
    for (long number : numbers) {
      kept.invalidate(number);
    }
  }

  @Override
  public int blockSize() {
    return journal.blockSize();
  }

  @Override
  public long blockCount() {
    return journal.blockCount();
  }

  @Override
  public ByteBuffer block(long number) throws Ext4Exception {
    Kept block = kept.getIfPresent(number);
    if (block != null && journal.isUntouched(number, block.position())) {
      counters.blockHits.increment();
    } else {
      long position = journal.position();
      counters.blockReads.increment();
      if (journal.has(number)) {
        counters.overlayHits.increment();
      }
      block = new Kept(journal.block(number), position);
      kept.put(number, block);
    }
    return block.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }
}
