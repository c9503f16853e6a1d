// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.datacache.flash;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The regions of the file as a FIFO queue of chunks, without the file: which region is filled in
 * memory, which is to be written, and what becomes of a region's chunks when its turn comes again.
 * Not thread-safe.
 *
 * <p>A region in memory is spare, open (filled one after the other), or full; a full one is written
 * and then spare.
 */
final class RegionLog {
  /** One is filled, one is ready to be, one is written. */
  private static final int IN_MEMORY = 3;

  private static final int OPEN = 2;

  /**
   * Chunks of a region that were hit and move on to its new content.
   *
   * @param slots from the region's start, ascending
   * @param hashes of the chunks in them
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Kept(int region, int[] slots, long[] hashes) {}

  private final int regions;
  private final int slotsOfRegion;
  private final FlashIndex index;
  private final List<Region> inMemory = new ArrayList<>();
  private final ArrayDeque<Region> spare = new ArrayDeque<>();
  private final ArrayDeque<Region> open = new ArrayDeque<>();
  private final ArrayDeque<Region> full = new ArrayDeque<>();
  private final int[] rounds;
  private int next;

  /**
   * @param regions of the file, more than are in memory
   */
  RegionLog(int regions, int chunkBytes) {
    this.regions = regions;
    this.slotsOfRegion = Region.BYTES / chunkBytes;
    this.index = new FlashIndex(regions * slotsOfRegion);
    this.rounds = new int[regions];
    for (int i = 0; i < IN_MEMORY; i++) {
      Region region = new Region(chunkBytes);
      inMemory.add(region);
      spare.add(region);
    }
  }

  FlashIndex index() {
    return index;
  }

  int regionOf(int slot) {
    return slot / slotsOfRegion;
  }

  /** Counted from 0 at the region's start. */
  int withinRegion(int slot) {
    return slot % slotsOfRegion;
  }

  /** How often a region was filled anew. */
  int roundOf(int region) {
    return rounds[region];
  }

  /** The memory that a region of the file is in; null if it is in the file. */
  @Nullable Region memoryOf(int region) {
    for (Region memory : inMemory) {
      if (memory.number() == region) {
        return memory;
      }
    }
    return null;
  }

  /**
   * Copies a chunk that is nowhere to the tail of the queue.
   *
   * @return false where no region is open
   */
  boolean add(long hash, int sum, int length, ByteBuffer bytes) {
    Region region = open.peek();
    if (region == null) {
      return false;
    }
    int slot = region.number() * slotsOfRegion + region.add(bytes, length);
    index.put(hash, slot, sum, 0);
    if (region.isFull()) {
      full.add(open.remove());
    }
    return true;
  }

  /** A region that is to be written; it stays in memory and as it is until {@link #written}. */
  @Nullable Region full() {
    return full.peek();
  }

  /** The one that was first in {@link #full} is in the file. */
  void written() {
    Region region = full.remove();
    region.become(Region.NOWHERE, 0);
    spare.add(region);
  }

  /** Memory for the region whose turn it is; null if it need not be opened yet. */
  @Nullable Region toOpen() {
    return open.size() < OPEN ? spare.peek() : null;
  }

  /**
   * Which chunks of the region whose turn it is were hit: in the order of their slots, and half of
   * what the region holds at most, so that there always is room for others.
   */
  Kept hit() {
    int[] slots = new int[slotsOfRegion / 2];
    long[] hashes = new long[slots.length];
    int count = 0;
    int start = next * slotsOfRegion;
    for (int i = 0; i < slotsOfRegion && count < slots.length; i++) {
      if (index.hashOf(start + i) != 0 && index.hitsOf(start + i) > 0) {
        slots[count] = i;
        hashes[count++] = index.hashOf(start + i);
      }
    }
    return new Kept(next, Arrays.copyOf(slots, count), Arrays.copyOf(hashes, count));
  }

  /**
   * Opens the region whose turn it is in memory of {@link #toOpen}, which has the kept chunks in
   * its first slots, and evicts the others of that region. Who was dropped meanwhile is not kept.
   */
  void open(Kept kept) {
    int start = kept.region() * slotsOfRegion;
    int count = kept.slots().length;
    int[] sums = new int[count];
    int[] hits = new int[count];
    for (int i = 0; i < count; i++) {
      int slot = start + kept.slots()[i];
      boolean still = index.hashOf(slot) == kept.hashes()[i];
      sums[i] = index.sumOf(slot);
      hits[i] = still ? index.hitsOf(slot) : 0;
    }
    for (int i = 0; i < slotsOfRegion; i++) {
      index.removeSlot(start + i);
    }
    for (int i = 0; i < count; i++) {
      if (hits[i] > 0) {
        index.put(kept.hashes()[i], start + i, sums[i], hits[i] - 1);
      }
    }
    rounds[kept.region()]++;
    next = (next + 1) % regions;
    Region region = spare.remove();
    region.become(kept.region(), count);
    open.add(region);
  }

  /** Forgets all chunks, and that any region is in memory. */
  void clear() {
    index.clear();
    spare.clear();
    open.clear();
    full.clear();
    inMemory.clear();
  }
}
